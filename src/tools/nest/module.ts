/** The module of Nest: a database for the application, and repositories for its modules. */
import {
  type DynamicModule,
  type FactoryProvider,
  Inject,
  Module,
  type ModuleMetadata,
  type OnApplicationShutdown,
  type Provider,
} from '@nestjs/common';
import { type FaultTexts, invalidArgument, valueText } from '../../base/index.js';
import type { EntityClass } from '../../entities/model/index.js';
import { Database, open, type OpenOptions } from '../../entities/repository/index.js';
import { RowsmithHealth } from './health.js';

/** The token of each entity's repository. */
const tokens = new WeakMap<EntityClass, symbol>();

const faults = {
  notAClass: (value: string) => ({
    problem: `${value} is not an entity class`,
    fix: 'pass the class; it is undefined while modules that import each other are loaded',
  }),
} satisfies FaultTexts;

function tokenOf(entity: EntityClass): symbol {
  if (typeof entity !== 'function') {
    const { problem, fix } = faults.notAClass(valueText(entity));
    throw invalidArgument('entity', { problem, fix });
  }
  const token = tokens.get(entity) ?? Symbol(`Repository of ${entity.name}`);
  tokens.set(entity, token);
  return token;
}

/**
 * Injects the repository of an entity that the module names in `RowsmithModule.forFeature`.
 * @example constructor(@InjectRepository(Note) private readonly notes: Repository<typeof Note>) {}
 */
export function InjectRepository(entity: EntityClass): ParameterDecorator & PropertyDecorator {
  return Inject(tokenOf(entity));
}

/** Closes the database when the HTTP server has answered its last request. */
class ClosingDatabase implements OnApplicationShutdown {
  readonly #db: Database;

  constructor(db: Database) {
    this.#db = db;
  }

  onApplicationShutdown(): Promise<void> {
    return this.#db.close();
  }
}

/**
 * Provides the `Database` of an application, repositories and `RowsmithHealth`. The database is
 * closed with the application.
 */
export class RowsmithModule {
  /** Opens a database for all modules, with the arguments of `open`. */
  static forRoot(url: string, options: OpenOptions): DynamicModule {
    return rootModule({ useFactory: () => open(url, options) });
  }

  /**
   * The same with a function that opens the database, and providers that it gets as arguments.
   * @example
   * RowsmithModule.forRootAsync({
   *   inject: [ConfigService],
   *   useFactory: (config: ConfigService) => open(config.get('DATABASE'), { entities: [Note] }),
   * })
   */
  static forRootAsync(
    options: Pick<FactoryProvider<Database>, 'inject' | 'useFactory'> &
      Pick<ModuleMetadata, 'imports'>,
  ): DynamicModule {
    return rootModule(options);
  }

  /** Provides the repositories of these entities to the module that imports the result. */
  static forFeature(entities: readonly EntityClass[]): DynamicModule {
    const providers = entities.map((entity): Provider => ({
      provide: tokenOf(entity),
      inject: [Database],
      useFactory: (db: Database) => repositoryOf(db, entity),
    }));
    return { module: RowsmithModule, providers, exports: providers };
  }
}
Module({})(RowsmithModule);

/** An application that cannot start calls no hook that would close the database. */
async function repositoryOf(db: Database, entity: EntityClass): Promise<unknown> {
  try {
    return db.repository(entity);
  } catch (error) {
    await db.close();
    throw error;
  }
}

function rootModule({
  imports = [],
  inject = [],
  useFactory,
}: Parameters<typeof RowsmithModule.forRootAsync>[0]): DynamicModule {
  const fromDatabase = { inject: [Database] };
  return {
    module: RowsmithModule,
    global: true,
    imports,
    providers: [
      { provide: Database, inject, useFactory },
      {
        ...fromDatabase,
        provide: RowsmithHealth,
        useFactory: (db: Database) => new RowsmithHealth(db),
      },
      {
        ...fromDatabase,
        provide: ClosingDatabase,
        useFactory: (db: Database) => new ClosingDatabase(db),
      },
    ],
    exports: [Database, RowsmithHealth],
  };
}
