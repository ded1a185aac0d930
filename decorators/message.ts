/** `@Message`: a class whose instances are packed into one cell as protobuf. */
import { recordOn, type Constructor } from '../src/model/index.js';
import { metadataOf } from './property-decorator.js';

/**
 * Marks a class as a message with its full protobuf name, `telemetry.Status`; without one, the name
 * of the class.
 */
export function Message(fullName?: string): (messageClass: Constructor, context?: unknown) => void {
  return (messageClass, context) => {
    recordOn(
      context === undefined
        ? messageClass
        : metadataOf('@Message', context as ClassDecoratorContext),
    ).message = fullName ?? true;
  };
}
