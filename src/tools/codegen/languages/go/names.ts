/** Names in generated Go. All entities and messages are in one package. */
import { RowsmithError, type FaultTexts } from '../../../../base/index.js';
import type { ParsedMessage, ProtoFile } from '../../../../entities/proto/index.js';
import { nameInPackage } from '../../../../entities/proto/index.js';
import type { EntityData } from '../entity-data.js';
import { nameWords, pascalCase, SafeNames, snakeCase } from '../names.js';

/** Words of the language, and what generated functions use beside their parameters. */
const words: ReadonlySet<string> = new Set([
  ...['break', 'case', 'chan', 'const', 'continue', 'default', 'defer', 'else', 'fallthrough'],
  ...['for', 'func', 'go', 'goto', 'if', 'import', 'interface', 'map', 'package', 'range'],
  ...['return', 'select', 'struct', 'switch', 'type', 'var'],
  ...['string', 'int64', 'uint64', 'float64', 'bool', 'byte', 'any', 'error', 'nil', 'true'],
  ...['bigtable', 'time', 'big', 'k'],
]);

/** Methods of rows, and of keys with leading segments. */
const methods: ReadonlySet<string> = new Set([
  ...['RowKey', 'ToMutations', 'EntityKey', 'Keys', 'Ranges', 'Contains', 'Settled'],
]);

/** Ends of file names that are conditions for Go: other systems, and tests. */
const fileConditions = new RegExp(
  '(^|_)(test|aix|android|darwin|dragonfly|freebsd|hurd|illumos|ios|js|linux|nacl|netbsd|openbsd|' +
    'plan9|solaris|wasip1|windows|zos|386|amd64|amd64p32|arm|armbe|arm64|arm64be|loong64|mips|' +
    'mipsle|mips64|mips64le|mips64p32|mips64p32le|ppc|ppc64|ppc64le|riscv|riscv64|s390|s390x|' +
    'sparc|sparc64|wasm)$',
);

const initialisms = new Set(['Api', 'Cpu', 'Html', 'Http', 'Https', 'Id', 'Ip', 'Json', 'Sql']);
['Tcp', 'Ttl', 'Udp', 'Uri', 'Url', 'Utf8', 'Uuid', 'Xml'].forEach((each) => initialisms.add(each));

/** The names of one entity in Go. */
export interface GoNames {
  /** Of the file, without `.go`. */
  readonly file: string;
  readonly row: string;
  /** The variables with its key, and with its columns. */
  readonly keyVariable: string;
  readonly rowsVariable: string;
  /** Fields, by property, of segments and columns. */
  readonly properties: ReadonlyMap<string, string>;
  /** Fields, by name, of the values of a rollup. */
  readonly values: ReadonlyMap<string, string>;
  /** Parameters, by property, of segments. */
  readonly parameters: ReadonlyMap<string, string>;
}

/** The property with the key of the row in entries of unique indexes. */
export const heldKeyProperty = '#row';

/** The names of all entities, in their order; `taken` are other names of the package. */
export function goNames(
  entities: readonly EntityData[],
  taken: ReadonlySet<string>,
): ReadonlyMap<EntityData, GoNames> {
  const files = new SafeNames(new Set(['runtime']));
  const used = new Set(taken);
  return new Map(
    entities.map((entity) => {
      const row = rowName(entity, used);
      const file = snakeCase(entity.name);
      const variable = row.charAt(0).toLowerCase() + row.slice(1);
      const own = { keyVariable: `${variable}Key`, rowsVariable: `${variable}Rows` };
      return [
        entity,
        {
          file: files.take(fileConditions.test(file) ? `${file}_rows` : file),
          row,
          ...own,
          ...propertyNames(entity, [...words, ...Object.values(own)]),
        },
      ];
    }),
  );
}

/** The first name of which all names that follow from it are free; takes them. */
function rowName({ name, key }: EntityData, used: Set<string>): string {
  const wanted = pascalCase(name);
  const derived = (row: string): readonly string[] => {
    const variable = row.charAt(0).toLowerCase() + row.slice(1);
    return [
      ...[row, `${row}Key`, `${row}KeyOf`, `Parse${row}Key`, `${row}Keys`, `${row}FromRow`],
      ...[`${row}Increments`, `${row}Additions`, `${variable}Key`, `${variable}Rows`],
      ...Array.from({ length: key.parts.length + 1 }, (_, i) => `${row}Keys${i}`),
    ];
  };
  let row = wanted;
  for (let n = 2; derived(row).some((each) => used.has(each)); n++) row = `${wanted}_${n}`;
  derived(row).forEach((each) => used.add(each));
  return row;
}

function propertyNames({ key, columns, row }: EntityData, parameterWords: readonly string[]) {
  const fields = new SafeNames(methods);
  const parameters = new SafeNames(new Set(parameterWords));
  const segments = key.parts.flatMap((part) =>
    part.kind === 'segment' ? [part.segment.property] : [],
  );
  const values = row.kind === 'rollup' ? row.values.map(({ name }) => name) : [];
  const take = (property: string): [string, string] => [
    property,
    fields.take(property === heldKeyProperty ? 'HeldKey' : exported(property)),
  ];
  const segmentNames = segments.map(take);
  const valueNames = values.map(take);
  return {
    properties: new Map([...segmentNames, ...columns.map(({ property }) => take(property))]),
    values: new Map(valueNames),
    parameters: new Map(segments.map((each) => [each, parameters.take(unexported(each))])),
  };
}

/** `DeviceID`. */
function exported(name: string): string {
  const given = nameWords(name).map((word) => word.charAt(0).toUpperCase() + word.slice(1));
  return pascalCase(given.map(styled).join(' '));
}

function styled(word: string): string {
  return initialisms.has(word) ? word.toUpperCase() : word;
}

/** `deviceID`. */
function unexported(name: string): string {
  const [first = 'unnamed', ...others] = nameWords(name);
  const rest = others.map((word) => styled(word.charAt(0).toUpperCase() + word.slice(1)));
  const joined = first.toLowerCase() + rest.join('');
  return /^[0-9]/.test(joined) ? `u${joined}` : joined;
}

/** The name that protoc-gen-go gives to a message or enum, of its name in its package. */
export function goMessageName(name: string): string {
  return name
    .replace(/\.([a-z])/g, (_, letter: string) => letter.toUpperCase())
    .replaceAll('.', '_')
    .replace(/^_/, 'X')
    .replace(/_([a-z])/g, (_, letter: string) => letter.toUpperCase())
    .replace(
      /(^|[0-9])([a-z])/g,
      (_, before: string, letter: string) => `${before}${letter.toUpperCase()}`,
    );
}

/** The names of all messages and enums; throws if two would be the same. */
export function namesOfMessages(files: readonly ProtoFile[]): ReadonlySet<string> {
  const found = new Map<string, string>();
  const add = (full: string, file: ProtoFile): void => {
    const name = goMessageName(nameInPackage(full, file.package));
    const other = found.get(name);
    if (other !== undefined)
      throw new RowsmithError('UNSUPPORTED', { ...faults.sameMessage(other, full) });
    found.set(name, full);
  };
  const visit = (messages: readonly ParsedMessage[], file: ProtoFile): void =>
    messages.forEach((message) => {
      add(message.name, file);
      message.enums.forEach((each) => add(each.name, file));
      visit(message.messages, file);
    });
  for (const file of files) {
    visit(file.messages, file);
    file.enums.forEach((each) => add(each.name, file));
  }
  return new Set(found.keys());
}

const faults = {
  sameMessage: (one: string, other: string) => ({
    problem: `'${one}' and '${other}' have the same name in Go, where all rows are in one package`,
    fix: 'rename one of them',
  }),
} satisfies FaultTexts;
