/** Names of enum members in .proto files. */
import { simpleName } from '../../../entities/proto/index.js';

/**
 * `AUTO` of `telemetry.Mode` is `MODE_AUTO`, as protobuf's style guide recommends: enum members
 * share the scope around the enum, so two enums of one message could not both have an `UNKNOWN`. A
 * member that has the prefix already keeps its name.
 */
export function enumMemberName(enumName: string, member: string): string {
  const prefix = `${upperSnake(simpleName(enumName))}_`;
  const name = upperSnake(member);
  if (name.startsWith(prefix)) return name;
  return prefix + name;
}

function upperSnake(name: string): string {
  return name
    .replace(/([a-z0-9])([A-Z])/g, '$1_$2')
    .replace(/([A-Z])([A-Z][a-z])/g, '$1_$2')
    .toUpperCase();
}
