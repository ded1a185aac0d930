/** The Python types of values. */
import type {
  ColumnData,
  RollupValueData,
  RuleData,
  SegmentData,
  ValueData,
} from '../entity-data.js';
import { text } from './layout.js';
import { isKeyword, messageModule } from './names.js';

const segmentTypes: Readonly<Record<string, string>> = {
  string: 'str',
  int: 'int',
  uint: 'int',
  bigint: 'int',
  float: 'float',
  decimal: 'Decimal',
  bool: 'bool',
  timestamp: 'datetime',
  micros: 'int',
  isoDate: 'datetime',
  uuid: 'UUID',
  ulid: 'str',
  bytes: 'bytes',
  reversedId: 'int',
  domain: 'str',
};

const scalarTypes: Readonly<Record<string, string>> = {
  string: 'str',
  bytes: 'bytes',
  bool: 'bool',
  int32: 'int',
  uint32: 'int',
  int64: 'int',
  double: 'float',
  float: 'float',
  timestamp: 'datetime',
  date: 'date',
  json: 'Any',
};

/** The type of a segment's values, with None if it is nullable. */
export function segmentType({ kind, members, nullable }: SegmentData): string {
  const type = kind === 'enum' ? literalType(members) : segmentTypes[kind];
  return nullable ? `${type} | None` : type;
}

/** Longer types would need lines of their own; the values are checked at run time anyway. */
const maxLiteralColumns = 50;

function literalType(members: readonly (string | number | bigint)[]): string {
  const shown = members.map((each) => (typeof each === 'string' ? text(each) : String(each)));
  const type = `Literal[${shown.join(', ')}]`;
  if (type.length <= maxLiteralColumns) return type;
  return typeof members[0] === 'string' ? 'str' : 'int';
}

/** The type of one value of a column. */
export function pythonType(value: ValueData, rules: RuleData | undefined): string {
  if (value.kind === 'custom') return 'bytes';
  if (value.kind === 'message') return messageType(value);
  const members = rules?.oneOf;
  const isLiteral = ['string', 'int32', 'uint32', 'int64'].includes(value.scalar);
  if (members !== undefined && isLiteral) return literalType(members);
  return scalarTypes[value.scalar];
}

type MessageData = Extract<ValueData, { readonly kind: 'message' }>;

/** The type of a message. Names that are words of Python cannot be part of one. */
function messageType(value: MessageData): string {
  return isImportable(value.file) && !value.message.split('.').some(isKeyword)
    ? `${messageAlias(value.file)}.${value.message}`
    : 'Any';
}

/** The class of a message as an expression. */
export function messageClass({ file, message }: MessageData): string {
  return message
    .split('.')
    .reduce(
      (outer, name) => (isKeyword(name) ? `getattr(${outer}, ${text(name)})` : `${outer}.${name}`),
      messageAlias(file),
    );
}

function isImportable(file: string): boolean {
  return !messageModule(file).split('.').some(isKeyword);
}

/** The name of a .proto file's module in generated modules. */
export function messageAlias(file: string): string {
  return `${file.replace(/[^A-Za-z0-9]+/g, '_')}_pb2`;
}

/** The import of a .proto file's module; undefined if the language has no statement for it. */
export function messageImport(file: string): string | undefined {
  if (!isImportable(file)) return undefined;
  return `import ${messageModule(file)} as ${messageAlias(file)}`;
}

/** The type of a column, and the default of its field in the class; undefined for none. */
export function columnField(column: ColumnData): { type: string; default: string | undefined } {
  const { kind, value, rules, qualifiers, required } = column;
  const type = pythonType(value, rules);
  if (kind === 'map')
    return {
      type: `dict[${segmentType(qualifiers!)}, ${type}]`,
      default: 'field(default_factory=dict)',
    };
  if (kind === 'versions')
    return { type: `list[rt.Version[${type}]]`, default: 'field(default_factory=list)' };
  if (required) return { type, default: undefined };
  if (column.default !== undefined) return { type, default: constant(column) };
  return type === 'Any' ? { type, default: 'None' } : { type: `${type} | None`, default: 'None' };
}

/** The declared default of a column. */
export function constant({ default: value, value: stored }: ColumnData): string {
  return scalarLiteral(value!, stored.kind === 'scalar' ? stored.scalar : '');
}

/** A value of a declaration, which a scalar stores. */
export function scalarLiteral(value: string | number | bigint | boolean, scalar: string): string {
  if (typeof value === 'boolean') return value ? 'True' : 'False';
  if (typeof value === 'bigint') return String(value);
  if (typeof value === 'number') return numberLiteral(value, scalar);
  if (scalar !== 'date') return text(value);
  return `date(${value.split('-').map(Number).join(', ')})`;
}

function numberLiteral(value: number, scalar: string): string {
  if (!Number.isFinite(value)) return `float("${String(value).replace('Infinity', 'inf')}")`;
  if (Object.is(value, -0)) return '-0.0';
  const digits = String(value);
  const isFraction = scalar === 'double' || scalar === 'float';
  return isFraction && /^-?\d+$/.test(digits) ? `${digits}.0` : digits;
}

/** The type of a rollup's value. */
export function rollupValueType(
  { number, kind }: RollupValueData,
  stored: ColumnData | undefined,
): string {
  if (kind === 'count' || (kind === 'sum' && number === 'whole')) return 'int';
  const type = {
    whole: 'int',
    decimal: 'Decimal',
    time: 'datetime',
    fraction: 'float',
    single: 'float',
    stored: stored === undefined ? 'Any' : pythonType(stored.value, undefined),
  }[number];
  return kind === 'sum' || type === 'Any' ? type : `${type} | None`;
}
