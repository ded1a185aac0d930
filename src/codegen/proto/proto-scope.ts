/** How a type is named where it is used: as short as protobuf's rules of scope allow. */

/**
 * Words that begin something else in a .proto file, so that no type name may begin with them unless
 * a dot stands first.
 */
const words = new Set([
  'double',
  'float',
  'int32',
  'int64',
  'uint32',
  'uint64',
  'sint32',
  'sint64',
  'fixed32',
  'fixed64',
  'sfixed32',
  'sfixed64',
  'bool',
  'string',
  'bytes',
  'optional',
  'required',
  'repeated',
  'oneof',
  'map',
  'reserved',
  'extensions',
  'extend',
  'message',
  'enum',
  'option',
  'group',
]);

/** Full names of types, with the package each is in. */
export type TypesByPackage = ReadonlyMap<string, string>;

/**
 * The shortest name that means `type` inside `scope` (a full message name): types of the same
 * package without it, others in full.
 */
export function shortestName(type: string, scope: string, types: TypesByPackage): string {
  const home = types.get(type);
  const known = new Set([...types.keys(), ...[...types.values()].flatMap(prefixesOf)]);
  const local =
    home === undefined || types.get(scope) !== home
      ? []
      : suffixesOf(home === '' ? type : type.slice(home.length + 1));
  return (
    [...local, type].find(
      (name) => !words.has(name.split('.')[0]) && meaning(name, scope, known) === type,
    ) ?? `.${type}`
  );
}

function prefixesOf(name: string): readonly string[] {
  return name.split('.').map((_, i, parts) => parts.slice(0, i + 1).join('.'));
}

/** The ends of a dotted name, shortest first. */
function suffixesOf(name: string): readonly string[] {
  const parts = name.split('.');
  return parts.map((_, i) => parts.slice(parts.length - 1 - i).join('.'));
}

/**
 * What a name means: its first part is looked for from the innermost scope outward, and where that
 * is found the rest must be.
 */
function meaning(name: string, scope: string, known: ReadonlySet<string>): string | undefined {
  const first = name.split('.')[0];
  for (let at = scope; at !== ''; at = at.slice(0, Math.max(0, at.lastIndexOf('.')))) {
    if (known.has(`${at}.${first}`)) return `${at}.${name}`;
  }
  return name;
}
