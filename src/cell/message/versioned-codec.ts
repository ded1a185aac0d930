/**
 * Packed values that say their version: older ones are brought up to the newest when they are read,
 * and written back when the row is saved.
 */
import { type CellCodec, CellFault } from '../cell-codec.js';
import type { MessageShape } from '../wire/message-shape.js';

/** How values of earlier versions become values of the newest. */
export interface Upgrades {
  /** Field that holds the version; a value without it has version 1. */
  readonly version: string;
  /** From version n to n + 1, by n: 1 and on, without gaps. */
  readonly upgrades: Readonly<Record<number, (stored: never) => unknown>>;
}

/** The version of what is written. */
export function currentVersion({ upgrades }: Upgrades): number {
  return Object.keys(upgrades).length + 1;
}

type Properties = Record<PropertyKey, unknown>;

/** The codec of a message whose stored values may be of an earlier version. */
export function versionedCodec(codec: CellCodec, shape: MessageShape, said: Upgrades): CellCodec {
  const { version: field, upgrades } = said;
  const current = currentVersion(said);
  return {
    kind: codec.kind,
    encode(value) {
      // Whoever made a new value did so by the class as it is now; his own object is left as it was
      // given.
      const plain =
        typeof value === 'object' && value !== null && (value as Properties)[field] == null;
      return codec.encode(
        plain ? Object.assign(shape.create(), value, { [field]: current }) : value,
      );
    },
    decode(bytes, start, end) {
      let value = codec.decode(bytes, start, end) as Properties;
      const stored = value[field] ?? 1;
      if (stored === current) return value;
      checkVersion(stored as number, current, field);
      for (let from = stored as number; from < current; from++)
        value = upgraded(value, from, upgrades[from] as (stored: Properties) => unknown);
      value[field] = current;
      return value;
    },
  };
}

function checkVersion(stored: number, current: number, field: string): void {
  if (stored >= 1 && stored < current) return;
  const newer = stored > current;
  throw new CellFault(
    `the value has version ${stored}, and this program knows ${current === 1 ? 'version 1' : `versions 1 to ${current}`}`,
    newer
      ? 'run the program that wrote it, or a newer one: it has an upgrade function for this version'
      : `write versions from 1 on into ${field}`,
    field,
  );
}

function upgraded(
  value: Properties,
  from: number,
  upgrade: (stored: Properties) => unknown,
): Properties {
  let result: unknown;
  try {
    result = upgrade(value);
  } catch (cause) {
    throw new CellFault(
      `the upgrade from version ${from} failed: ${cause instanceof Error ? cause.message : String(cause)}`,
      'make the function take every value that was stored',
    );
  }
  if (typeof result === 'object' && result !== null) return result as Properties;
  throw new CellFault(
    `the upgrade from version ${from} gave no message`,
    'return the message: the one it got, changed, or a new one',
  );
}
