/** How a member of an enum is called in .proto files. */
import { simpleName } from '../proto-source/proto-file.js';

/**
 * `AUTO` of `telemetry.Mode` is `MODE_AUTO`: members of protobuf's enums share the scope around the
 * enum, so two enums of one message cannot both have an `UNKNOWN` (and the style guide asks for
 * it). A member that begins so already stays as it is.
 */
export function enumMemberName(enumName: string, member: string): string {
  const prefix = `${upperSnake(simpleName(enumName))}_`;
  const name = upperSnake(member);
  return name.startsWith(prefix) ? name : prefix + name;
}

function upperSnake(name: string): string {
  return name
    .replace(/([a-z0-9])([A-Z])/g, '$1_$2')
    .replace(/([A-Z])([A-Z][a-z])/g, '$1_$2')
    .toUpperCase();
}
