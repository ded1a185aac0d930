/** Legacy decorators as jest's transform compiles them, and standard decorators of esbuild. */
import { transformSync as esbuild } from 'esbuild';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import * as decorators from '../../../decorators/index.js';
import {
  Column,
  ColumnMap,
  Counter,
  Entity,
  Field,
  Message,
  Packed,
  RepeatedField,
  Segment,
  Versions,
} from '../../../decorators/index.js';
import { type Fault, RowsmithError } from '../../../src/base/index.js';
import { declarationOf } from '../../../src/entities/model/declaration/class-record.js';
import * as model from '../../../src/entities/model/index.js';
import {
  buildModel,
  describeEntity,
  rowKey,
  type Version,
} from '../../../src/entities/model/index.js';

function faultsOf(entityClass: new () => object): string[] {
  try {
    buildModel(entityClass);
  } catch (error) {
    return (error as RowsmithError).details.faults!.map(
      ({ entity, property, problem, fix }: Fault) =>
        `${entity}${property === undefined ? '' : `.${property}`}: ${problem} | ${fix}`,
    );
  }
  return [];
}

/** Compiles and runs TypeScript with legacy or standard decorators; returns its exports. */
function evaluate(source: string, legacy: boolean): any {
  const compilerOptions = legacy ? { experimentalDecorators: true } : {};
  const { code } = esbuild(source, {
    loader: 'ts',
    format: 'cjs',
    target: 'es2022',
    tsconfigRaw: { compilerOptions },
  });
  const module = { exports: {} as Record<string, unknown> };
  // The fixture must run in this realm, because its Map and Date are compared.
  // oxlint-disable-next-line typescript/no-implied-eval
  new Function('module', 'exports', 'require', code)(module, module.exports, () => ({
    ...decorators,
    ...model,
  }));
  return module.exports;
}

describe('inheritance', () => {
  abstract class Base {
    @Segment('string') tenant!: string;
    @Column('m', 'string') note?: string;
  }
  @Entity({ table: 'a', families: { m: {} } })
  class Alpha extends Base {
    static readonly key = rowKey('tenant', 'id');
    @Segment('uint') id!: number;
  }
  @Entity({ table: 'b', families: { m: {} } })
  class Beta extends Base {
    static readonly key = rowKey('tenant');
    @Column('m', 'json', { qualifier: 'n' }) override note?: string = undefined;
    @Column('m', 'bool') done?: boolean;
  }
  @Entity({ table: 'c', families: { m: {} } })
  class Gamma extends Alpha {
    @Column('m', 'bool') more?: boolean;
  }

  test('columns and segments of a base are inherited', () => {
    expect(buildModel(Alpha).columns.map((each) => each.property)).toEqual(['note']);
    expect(buildModel(Alpha).key.names).toEqual(['tenant', 'id']);
  });
  test('a property that is declared again replaces the inherited declaration', () => {
    expect(describeEntity(Beta).columns).toMatchObject([
      { property: 'done' },
      { property: 'note', qualifier: 'n', type: 'json' },
    ]);
  });
  test('a subclass inherits the key, not the table', () => {
    expect(describeEntity(Gamma)).toMatchObject({
      table: 'c',
      columns: [{ property: 'more' }, { property: 'note' }],
    });
  });
  test('the record of the base class is not changed', () => {
    expect(declarationOf(Base as never).columns.map((each) => each.property)).toEqual(['note']);
    expect(declarationOf(Base as never).entity).toBeUndefined();
    expect(declarationOf(Alpha).columns).toHaveLength(1);
  });

  const source = `
    import { Column, Entity, Segment, rowKey } from 'x';
    class Base { @Segment('string') tenant; @Column('m', 'string') note; }
    @Entity({ table: 'a', families: { m: {} } })
    export class Alpha extends Base { static key = rowKey('tenant', 'id'); @Segment('uint') id; }
    @Entity({ table: 'b', families: { m: {} } })
    export class Beta extends Base { static key = rowKey('tenant'); @Column('m', 'bool') done; }
    export { Base };`;
  test.each([
    ['legacy', true],
    ['standard', false],
  ] as const)('with %s decorators', (_decorators, legacy) => {
    const classes = evaluate(source, legacy);
    expect(buildModel(classes.Alpha).columns.map((each) => each.property)).toEqual(['note']);
    expect(buildModel(classes.Beta).columns.map((each) => each.property)).toEqual(['done', 'note']);
    expect(declarationOf(classes.Base).segments).toHaveLength(1);
    expect(declarationOf(classes.Base).entity).toBeUndefined();
  });

  test('a base class with standard decorators, its subclass with legacy ones', () => {
    const { Base: Standard } = evaluate(source, false) as {
      Base: new () => { tenant: string; note?: string };
    };
    @Entity({ table: 'mixed', families: { m: {} } })
    class Mixed extends Standard {
      static readonly key = rowKey('tenant', 'at');
      @Segment('timestamp') at!: Date;
    }
    expect(buildModel(Mixed).key.names).toEqual(['tenant', 'at']);
    expect(buildModel(Mixed).columns.map((each) => each.property)).toEqual(['note']);
  });
});

test.each([
  ['legacy', true],
  ['standard', false],
] as const)(
  'the fixture of the compiler tests prints its golden text (%s)',
  (_decorators, legacy) => {
    const lines: string[] = [];
    const log = jest.spyOn(console, 'log').mockImplementation((line: string = '') => {
      lines.push(line);
    });
    try {
      evaluate(readFileSync(join(__dirname, '../../compilers/cases/telemetry.ts'), 'utf8'), legacy);
    } finally {
      log.mockRestore();
    }
    expect(`${lines.join('\n')}\n`).toBe(
      readFileSync(join(__dirname, '../../golden/telemetry.txt'), 'utf8'),
    );
  },
);

describe('design:type', () => {
  @Message('d.Note')
  class Note {
    @Field(1) text?: string;
    @Field(2) big?: bigint;
  }
  @Entity({ table: 'd', families: { m: {} } })
  class Unnamed {
    static readonly key = rowKey('text', 'big', 'at', 'flag', 'raw');
    @Segment() text!: string;
    @Segment() big!: bigint;
    @Segment() at!: Date;
    @Segment() flag!: boolean;
    @Segment() raw!: Uint8Array;
    @Column('m') s?: string;
    @Column('m') i?: bigint;
    @Column('m') d?: Date;
    @Column('m') b?: boolean;
    @Column('m') u?: Uint8Array;
    @Column('m') n?: Buffer;
    @Packed('m', () => Note) note?: Note;
  }
  test('determines the kind if none is named', () => {
    expect(buildModel(Unnamed).segments.map(({ type }) => type.kind)).toEqual([
      'string',
      'bigint',
      'timestamp',
      'bool',
      'bytes',
    ]);
    expect(
      Object.fromEntries(
        describeEntity(Unnamed).columns.map(({ property, type }) => [property, type]),
      ),
    ).toEqual({
      s: 'string',
      i: 'int64',
      d: 'timestamp',
      b: 'bool',
      u: 'bytes',
      n: 'bytes',
      note: 'message d.Note',
    });
    expect(describeEntity(Unnamed).messages[0].fields).toEqual([
      { number: 1, name: 'text', type: 'string' },
      { number: 2, name: 'big', type: 'int64' },
    ]);
  });

  test('does not determine the kind of a number or a union', () => {
    @Entity({ table: 'd', families: { m: {} } })
    class Ambiguous {
      static readonly key = rowKey('id');
      // @ts-expect-error the compiler rejects it, too
      @Segment() id!: number;
      // @ts-expect-error the compiler rejects it, too
      @Column('m') v?: number;
      @Column('m') union?: string | bigint;
    }
    expect(faultsOf(Ambiguous)).toEqual([
      "Ambiguous.id: a number can be stored in several ways, and no kind is named | name the kind: @Segment('uint')",
      "Ambiguous.v: a number can be stored in several ways, and no kind is named | name the kind: @Column('m', 'double')",
      "Ambiguous.union: no kind is named, and the emitted type Object does not determine one | name the kind: @Column('m', 'string')",
    ]);
  });

  test('contradicting the named kind is a fault', () => {
    @Message('d.Wrong')
    class Wrong {
      // @ts-expect-error the compiler rejects it, too
      @Field(1, 'string') f?: number;
      // @ts-expect-error the compiler rejects it, too
      @RepeatedField(2, 'string') list?: Map<string, string>;
    }
    @Entity({ table: 'd', families: { m: {}, t: {} } })
    class Contradiction {
      static readonly key = rowKey('id');
      // @ts-expect-error the compiler rejects it, too
      @Segment('timestamp') id!: string;
      // @ts-expect-error the compiler rejects it, too
      @Column('m', 'int64') v?: number;
      @Packed('m', () => Wrong) w?: Wrong;
      // @ts-expect-error the compiler rejects it, too
      @Packed('m', () => Wrong) note?: Note;
      // @ts-expect-error the compiler rejects it, too
      @ColumnMap('t', 'string') map?: string[];
      // @ts-expect-error the compiler rejects it, too
      @Versions('m', 'string') history?: Map<string, string>;
      // @ts-expect-error the compiler rejects it, too
      @Counter('m') hits?: number;
    }
    expect(faultsOf(Contradiction)).toEqual([
      "Contradiction.id: it is declared as 'timestamp', but its type is String according to the compiler | give the property a type that 'timestamp' holds (Date), or name another kind",
      "Contradiction.v: it is declared as 'int64', but its type is Number according to the compiler | give the property a type that 'int64' holds (BigInt), or name another kind",
      "Wrong.f: it is declared as 'string', but its type is Number according to the compiler | give the property a type that 'string' holds (String), or name another kind",
      'Wrong.list: it is declared as a repeated field, but its type is Map according to the compiler | give the property a type that a repeated field holds (Array), or name another kind',
      'Contradiction.note: it is declared as message d.Wrong, but its type is Note according to the compiler | give the property a type that message d.Wrong holds (Wrong), or name another kind',
      'Contradiction.map: it is declared as @ColumnMap, but its type is Array according to the compiler | give the property a type that @ColumnMap holds (Map), or name another kind',
      'Contradiction.history: it is declared as @Versions, but its type is Map according to the compiler | give the property a type that @Versions holds (Array), or name another kind',
      "Contradiction.hits: it is declared as 'int64', but its type is Number according to the compiler | give the property a type that 'int64' holds (BigInt), or name another kind",
    ]);
  });

  test('may be a base class of the message, or include null', () => {
    abstract class Shape {
      abstract size?: number;
    }
    @Message('d.Circle')
    class Circle extends Shape {
      @Field(1, 'double') size?: number;
    }
    @Entity({ table: 'd', families: { m: {} } })
    class Fine {
      static readonly key = rowKey('id');
      @Segment('string', { nullable: true }) id!: string | null;
      @Packed('m', () => Circle) shape?: Circle;
      @Versions('m', () => Circle) past?: Version<Circle>[];
    }
    expect(faultsOf(Fine)).toEqual([]);
  });
});

describe('misplaced decorators', () => {
  const source = `
    import { Column, Entity, Segment, rowKey } from 'x';
    @Entity({ table: 'a', families: { m: {} } })
    export class Alpha {
      static key = rowKey('id');
      @Segment('string') id;
      @Column('m', 'string') static shared;
      @Column('m', 'string') method() {}
      @Column('m', 'string') get computed() { return 1; }
    }`;
  test.each([
    ['legacy', true, ['static member', 'method', 'accessor']],
    ['standard', false, ['static field', 'method', 'getter']],
  ] as const)('%s', (_decorators, legacy, [isStatic, method, accessor]) => {
    const article = (what: string): string => `${/^[aeiou]/.test(what) ? 'an' : 'a'} ${what}`;
    const faults = faultsOf(evaluate(source, legacy).Alpha);
    expect(faults.filter((fault) => fault.includes('@Column')).sort()).toEqual([
      `Alpha.computed: @Column is on ${article(accessor)} | put it on a public instance property`,
      `Alpha.method: @Column is on ${article(method)} | put it on a public instance property`,
      `Alpha.shared: @Column is on ${article(isStatic)} | put it on a public instance property`,
    ]);
  });

  test('a private field', () => {
    const { Alpha } = evaluate(
      source.replace("@Column('m', 'string') method() {}", "@Column('m', 'string') #hidden;"),
      false,
    );
    expect(faultsOf(Alpha)).toContain(
      'Alpha.#hidden: @Column is on a private field | put it on a public instance property',
    );
  });
});

test('contradicting decorators', () => {
  @Message('x.Mixed')
  class Mixed {
    @Field(1, 'string') a?: string;
    @Field(2, 'string') @Field(3, 'string') twice?: string;
    @Column('m', 'string') column?: string;
  }
  @Entity({ table: 'x', families: { m: {} } })
  class Crowded {
    static readonly key = rowKey('id');
    @Segment('string') @Segment('uuid') id!: string;
    @Column('m', 'string') @Column('m', 'json') both?: string;
    @Field(1, 'string') field?: string;
    @Packed('m', () => Mixed) mixed?: Mixed;
  }
  expect(faultsOf(Crowded)).toEqual([
    'Crowded.id: the segment is declared twice | keep one @Segment on it',
    'Mixed.column: a message class has a segment or column | use @Field in messages; segments and columns belong to the entity',
    'Mixed.twice: the field is declared twice | keep one @Field on it',
    'Crowded.both: the property has two columns | keep one column decorator on it',
    'Crowded.field: @Field is in an entity | use @Column, or move the field to a message class that @Packed stores',
  ]);
});

test('a standard context without metadata is rejected at once, with a fix', () => {
  const context = { kind: 'field', name: 'id', static: false, private: false, metadata: undefined };
  const call = (): unknown =>
    (Segment('string') as (target: undefined, context: object) => void)(undefined, context);
  expect(call).toThrow(RowsmithError);
  try {
    call();
  } catch (error) {
    expect((error as RowsmithError).details).toEqual({
      property: 'id',
      problem: '@Segment got a standard decorator context without metadata',
      fix: 'import rowsmith before the class is declared, and compile to decorators with metadata (TypeScript 5.2 or newer, esbuild, swc 2023-11); or set experimentalDecorators',
    });
  }
});
