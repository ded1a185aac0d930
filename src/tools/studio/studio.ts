/** Starts a studio: a database, and the server for its page. */
import { packageVersion } from '../../base/index.js';
import { type EngineOptions, openEngine, parseEngineUrl } from '../../engines/index.js';
import { buildModels, type EntityClass, storedModels } from '../../entities/model/index.js';
import type { Database, DeclaredSchema } from '../../entities/repository/index.js';
import type { LintOptions } from '../lint/index.js';
import type { Workload } from '../simulate/index.js';
import type { StudioContext } from './context.js';
import { KeySpaces } from './state/key-spaces.js';
import { openStudioDatabase } from './state/studio-database.js';
import { builtPage } from './page-folder.js';
import { StudioServer } from './http/studio-server.js';
import type { DatabaseInfo, Session } from './protocol/session.js';
import { Transfers } from './state/transfers.js';

/** What a studio shows, and how. */
export interface StudioOptions extends Pick<EngineOptions, 'bigtable' | 'clock'> {
  /** Entities and their views. */
  readonly entities: readonly EntityClass[];
  /** The folder with the built page; default: the page of the package. */
  readonly page?: string;
  /** Whether rows can be changed; default false. */
  readonly write?: boolean;
  /** Default 0: any free one. */
  readonly port?: number;
  readonly lint?: LintOptions | undefined;
  /** What is declared of tables; default: what the entities say. */
  readonly declared?: DeclaredSchema | undefined;
  /** A recording of accesses; absolute. */
  readonly recording?: string | undefined;
  /** Workloads to simulate. */
  readonly workloads?: readonly Workload[];
}

/** A studio that serves. */
export interface Studio {
  readonly db: Database;
  readonly port: number;
  /** The link to open; whoever has it can do what the studio can. */
  readonly link: string;
  /** A link that works once, for the command line of a browser. */
  linkForOnce(): string;
  close(): Promise<void>;
}

/** The version of the protocol. */
const protocolVersion = 1;

/**
 * Opens the database of a url and serves the studio on this machine. Rejects like `open`, and with
 * the error of the system if the port is taken; nothing stays open then.
 */
export async function startStudio(url: string, options: StudioOptions): Promise<Studio> {
  const { entities, page = builtPage(), write = false, port = 0 } = options;
  const { bigtable, clock = Date.now } = options;
  const db = await openStudioDatabase(url, { entities, write, bigtable, clock });
  const server = new StudioServer(contextOf(db, url, options), page);
  try {
    await server.listen(port);
  } catch (error) {
    await db.close();
    throw error;
  }
  const linkWith = (token: string): string => `http://127.0.0.1:${server.port}/?token=${token}`;
  return {
    db,
    port: server.port,
    link: linkWith(server.guard.token),
    linkForOnce: () => linkWith(server.guard.tokenForOnce()),
    async close() {
      await server.close();
      await db.close();
    },
  };
}

function contextOf(db: Database, url: string, options: StudioOptions): StudioContext {
  const { entities, write = false, lint, declared, recording, bigtable } = options;
  const workloads = (options.workloads ?? []).map((workload) => ({
    name: workload.options.name ?? workload.entity.name,
    workload,
  }));
  const { clock = Date.now } = options;
  const models = buildModels(entities);
  const target = parseEngineUrl(url);
  // Reads of embedded databases hide cells that are due. A second reader shows them.
  const openUncollected =
    target.kind === 'disk' ? () => openEngine(url, { readOnly: true, gc: 'manual' }) : undefined;
  return {
    db,
    models,
    session: {
      ...sessionOf(databaseInfo(url, bigtable), write, recording !== undefined),
      workloads: workloads.map(({ name, workload }) => ({
        name,
        entity: workload.entity.name,
        rows: workload.options.rows,
      })),
    },
    lint,
    declared: declared ?? {
      models: storedModels(models),
      settings: new Map(),
      isLive: target.kind === 'live',
    },
    recording,
    workloads,
    keySpaces: new KeySpaces(db.engine, clock),
    transfers: new Transfers(clock),
    openUncollected,
    now: clock,
  };
}

function sessionOf(
  database: DatabaseInfo,
  write: boolean,
  heat: boolean,
): Omit<Session, 'workloads'> {
  return {
    version: packageVersion,
    protocol: protocolVersion,
    database,
    write: write
      ? { allowed: true }
      : {
          allowed: false,
          reason: 'the studio was started to look at data',
          fix: 'end it, and start rowsmith studio --write',
        },
    zone: Intl.DateTimeFormat().resolvedOptions().timeZone,
    heat,
  };
}

/** What people know the back end by: parameters of urls are left out. */
function databaseInfo(url: string, bigtable: StudioOptions['bigtable']): DatabaseInfo {
  const target = parseEngineUrl(url);
  switch (target.kind) {
    case 'memory':
      return { kind: 'memory', name: 'memory' };
    case 'disk':
      return { kind: 'disk', name: target.directory };
    case 'live': {
      const name = target.url.replace(/^bigtable:\/\//, '').replace(/[?#].*$/, '');
      const address = bigtable?.emulatorHost ?? process.env.BIGTABLE_EMULATOR_HOST ?? '';
      if (address === '') return { kind: 'bigtable', name };
      return { kind: 'emulator', name, address };
    }
  }
}
