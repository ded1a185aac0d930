/** Validated descriptions of packed messages, from which their codecs are compiled. */
import type { FieldKind, MapKeyKind } from '../scalar/scalar-type.js';

/** The type of a field's value: of the elements if it is repeated, of the values if it is a map. */
export type FieldType =
  | { readonly kind: 'scalar'; readonly scalar: FieldKind }
  /** An open enum (proto3): unknown numbers are preserved. Its values in TypeScript are numbers. */
  | { readonly kind: 'enum'; readonly name: string; readonly values: ReadonlyMap<string, number> }
  /** A nested message. */
  | {
      readonly kind: 'message';
      /** A function, so that messages can be recursive. */
      readonly shape: () => MessageShape;
    };

/** A field of a message. */
export interface FieldShape {
  /** Name of the property in the class. */
  readonly name: string;
  /** 1 to 2^29-1, excluding 19000 to 19999. */
  readonly number: number;
  readonly type: FieldType;
  /**
   * Singular fields have explicit presence (`optional` in proto3): undefined is absent, but 0 and
   * '' are stored. Repeated numbers are packed.
   */
  readonly label: 'singular' | 'repeated' | 'map';
  /** Kind of the keys; set if `label` is `map`. */
  readonly mapKey?: MapKeyKind;
  /** Name of the field's oneof. At most one field of a oneof may be set. */
  readonly oneof?: string;
}

/** A message class. */
export interface MessageShape {
  /** Full protobuf name, `telemetry.Status`. */
  readonly name: string;
  /** Sorted by number. */
  readonly fields: readonly FieldShape[];
  /** Creates an empty instance of the class. */
  readonly create: () => object;
  /** The class, for `instanceof` checks and error messages. */
  readonly messageClass: abstract new (...args: never[]) => object;
}
