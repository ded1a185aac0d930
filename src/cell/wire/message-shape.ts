/** What a packed message is, as checked data: the input of the message compiler. */
import type { FieldKind, MapKeyKind } from '../scalar/scalar-type.js';

/** The type of a field's value (of an element where it repeats, of a map's value). */
export type FieldType =
  | { readonly kind: 'scalar'; readonly scalar: FieldKind }
  /**
   * An open enum (proto3): numbers outside `values` survive. The value in TypeScript is the number.
   */
  | { readonly kind: 'enum'; readonly name: string; readonly values: ReadonlyMap<string, number> }
  /** A nested message. */
  | {
      readonly kind: 'message';
      /** A function, so that messages may contain themselves. */
      readonly shape: () => MessageShape;
    };

/** One field. */
export interface FieldShape {
  /** Property of the class. */
  readonly name: string;
  /** 1 to 2^29-1, without 19000 to 19999. */
  readonly number: number;
  readonly type: FieldType;
  /**
   * singular fields have explicit presence (proto3 optional): undefined is absent, 0 and '' are
   * stored. Repeated numbers are packed.
   */
  readonly label: 'singular' | 'repeated' | 'map';
  /** Kind of the keys, where label is map. */
  readonly mapKey?: MapKeyKind;
  /** Name of the oneof the field belongs to: at most one of its fields may be set. */
  readonly oneof?: string;
}

/** One message class. */
export interface MessageShape {
  /** Full protobuf name, `telemetry.Status`. */
  readonly name: string;
  /** By ascending number. */
  readonly fields: readonly FieldShape[];
  /** Makes an empty instance of the class. */
  readonly create: () => object;
  /** The class, for `instanceof` in error texts. */
  readonly messageClass: abstract new (...args: never[]) => object;
}
