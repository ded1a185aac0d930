/**
 * Packed messages with a version field. Values of earlier versions are upgraded when they are read,
 * and stored in the current version when the row is saved.
 */
import { errorMessage, type FaultTexts } from '../../../base/index.js';
import { type CellCodec, CodecError } from '../cell-codec.js';
import type { MessageShape } from '../wire/message-shape.js';
import type { Properties } from './compiled-message.js';

/** How values of earlier versions are upgraded to the current one. */
export interface Upgrades {
  /** Name of the version field; a value without it has version 1. */
  readonly version: string;
  /** Functions from version n to n + 1, by n: 1, 2 and so on, without gaps. */
  readonly upgrades: Readonly<Record<number, (stored: never) => unknown>>;
}

/** The current version, with which values are written. */
export function currentVersion({ upgrades }: Upgrades): number {
  return Object.keys(upgrades).length + 1;
}

/** Adds upgrades of earlier versions to the codec of a message. */
export function versionedCodec(
  codec: CellCodec,
  shape: MessageShape,
  options: Upgrades,
): CellCodec {
  const { version: field, upgrades } = options;
  const current = currentVersion(options);
  return {
    kind: codec.kind,
    encode(value) {
      if (!lacksField(value, field)) return codec.encode(value);
      // A value without a version was created for the current class. It is copied, not modified.
      return codec.encode(Object.assign(shape.create(), value, { [field]: current }));
    },
    decode(bytes, start, end) {
      let value = codec.decode(bytes, start, end) as Properties;
      const stored = value[field] ?? 1;
      if (stored === current) return value;
      checkVersion(stored as number, current, field);
      for (let version = stored as number; version < current; version++)
        value = upgrade(value, version, upgrades[version] as (stored: Properties) => unknown);
      value[field] = current;
      return value;
    },
  };
}

function lacksField(value: unknown, field: string): boolean {
  return typeof value === 'object' && value !== null && (value as Properties)[field] == null;
}

function checkVersion(stored: number, current: number, field: string): void {
  if (stored >= 1 && stored < current) return;
  const supported = current === 1 ? 'version 1' : `versions 1 to ${current}`;
  const problem = `the value has version ${stored}, but this program supports ${supported}`;
  if (stored > current) throw new CodecError(faults.newerVersion(problem), field);
  throw new CodecError(faults.wrongVersion(problem, field), field);
}

function upgrade(
  value: Properties,
  version: number,
  upgradeFunction: (stored: Properties) => unknown,
): Properties {
  let result: unknown;
  try {
    result = upgradeFunction(value);
  } catch (error) {
    throw new CodecError(faults.upgradeFailed(version, error));
  }
  if (typeof result === 'object' && result !== null) return result as Properties;
  throw new CodecError(faults.upgradeWithoutMessage(version));
}

const faults = {
  newerVersion: (problem: string) => ({
    problem,
    fix: 'run the program that wrote it, or a newer one that has an upgrade function for this version',
  }),
  wrongVersion: (problem: string, field: string) => ({
    problem,
    fix: `write versions from 1 on to ${field}`,
  }),
  upgradeFailed: (version: number, error: unknown) => ({
    problem: `the upgrade from version ${version} failed: ${errorMessage(error)}`,
    fix: 'make the function accept every stored value',
  }),
  upgradeWithoutMessage: (version: number) => ({
    problem: `the upgrade from version ${version} did not return a message`,
    fix: 'return the changed message or a new one',
  }),
} satisfies FaultTexts;
