/** References to types, as short as protobuf's scoping rules allow. */
import { nameInPackage, scopeOf } from '../../../entities/proto/index.js';

/**
 * Keywords. A type name that begins with one of them is read as something else, unless a dot comes
 * first.
 */
const keywords = new Set([
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

/** The package of each type, by full name. */
export type TypesByPackage = ReadonlyMap<string, string>;

/**
 * The shortest name that refers to `type` inside `scope` (a full message name). Types of other
 * packages are named in full.
 */
export function shortestName(type: string, scope: string, types: TypesByPackage): string {
  const home = types.get(type);
  const known = new Set([...types.keys(), ...[...types.values()].flatMap(prefixesOf)]);
  const names = [type];
  if (home !== undefined && types.get(scope) === home)
    names.unshift(...suffixesOf(nameInPackage(type, home)));
  const shortest = names.find(
    (name) => !keywords.has(name.split('.')[0]) && resolved(name, scope, known) === type,
  );
  return shortest ?? `.${type}`;
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
 * The full name that a name refers to. protoc looks for its first part from the innermost scope
 * outward, and expects the rest in the first scope that has it.
 */
function resolved(name: string, scope: string, known: ReadonlySet<string>): string | undefined {
  const first = name.split('.')[0];
  for (let outer = scope; outer !== ''; outer = scopeOf(outer)) {
    if (known.has(`${outer}.${first}`)) return `${outer}.${name}`;
  }
  return name;
}
