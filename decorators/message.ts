/** `@Message`: a class of protobuf messages, each packed into one cell. */
import type { Constructor } from '../src/entities/model/index.js';
import { classRecord } from './property-decorator.js';

/**
 * Marks a class as a message. `fullName` is its full protobuf name, such as `telemetry.Status`;
 * default: the name of the class.
 */
export function Message(fullName?: string): (messageClass: Constructor, context?: unknown) => void {
  return (messageClass, context) => {
    classRecord('@Message', messageClass, context).message = fullName ?? true;
  };
}
