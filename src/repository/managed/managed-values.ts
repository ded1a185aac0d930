/** The values of the columns that the library sets: new ones for each write. */
import { randomBytes } from 'node:crypto';
import { invalidArgument } from '../../errors.js';
import type { CellChanges } from '../../mapping/index.js';
import type { EntityModel, ManagedProperties } from '../../model/index.js';
import type { CellClock, ReadModifyWriteRule } from '../../store/index.js';

type Values = Readonly<Record<string, unknown>>;

/**
 * The revision that a row must still have: null for none. Undefined for writes that are not
 * conditional on it.
 */
export type Expected = unknown;

/** 96 random bits, so that no two writes have the same revision. */
const revisionBytes = 12;

/** Random text that no other write has. */
function newRevision(): string {
  return randomBytes(revisionBytes).toString('base64url');
}

/**
 * What an increment or append adds to its request, so that the revision changes with it: it appends
 * random text, since it can only add to what is stored. Undefined without a revision.
 */
export function revisionAppender(model: EntityModel): (() => ReadModifyWriteRule) | undefined {
  const column = model.columns.find(({ property }) => property === model.managed?.revision);
  if (column?.kind !== 'column') return undefined;
  const { family, qualifier } = column;
  return () => ({
    kind: 'append',
    family,
    qualifier,
    value: new TextEncoder().encode(newRevision()),
  });
}

/** The managed columns of one repository. */
export class ManagedValues {
  readonly #model: EntityModel;
  readonly #managed: ManagedProperties;
  readonly #clock: CellClock;

  constructor(model: EntityModel, managed: ManagedProperties, clock: CellClock) {
    this.#model = model;
    this.#managed = managed;
    this.#clock = clock;
  }

  /** The property of the revision; undefined without one. */
  get revision(): string | undefined {
    return this.#managed.revision;
  }

  /** What a write of the whole row sets. */
  ofRow(entity: Values): Values {
    const { createdAt } = this.#managed;
    const stamp: Record<string, unknown> = this.#ofChange();
    if (createdAt !== undefined)
      stamp[createdAt] = entity[createdAt] ?? new Date(this.#clock.time());
    return stamp;
  }

  #ofChange(): Record<string, unknown> {
    const { revision, updatedAt } = this.#managed;
    const stamp: Record<string, unknown> = {};
    if (revision !== undefined) stamp[revision] = newRevision();
    if (updatedAt !== undefined) stamp[updatedAt] = new Date(this.#clock.time());
    return stamp;
  }

  /** The values of the row, with those of the stamp. Reads each property once. */
  stamped(entity: Values, stamp: Values): Values {
    const values: Record<string, unknown> = {};
    for (const { property } of this.#model.segments) values[property] = entity[property];
    for (const { property } of this.#model.columns)
      values[property] = Object.hasOwn(stamp, property) ? stamp[property] : entity[property];
    return values;
  }

  /** Sets the values of a row that was written in its entity. A frozen one stays as it is. */
  assign(entity: object, stamp: Values): void {
    for (const [property, value] of Object.entries(stamp)) Reflect.set(entity, property, value);
  }

  /**
   * What is set with some changes; undefined if they only add, which `save` never undoes. Throws
   * INVALID_ARGUMENT if they name a column that the library sets.
   */
  ofChanges({ set = {}, remove = [] }: CellChanges): Values | undefined {
    this.#assertNotNamed(set, remove);
    const isSet = Object.values(set).some((value) => value !== undefined);
    if (!isSet && remove.length === 0) return undefined;
    return this.#ofChange();
  }

  /** Throws INVALID_ARGUMENT for changes of columns that the library sets. */
  #assertNotNamed(set: Values, remove: readonly unknown[]): void {
    const managed = Object.entries(this.#managed) as [keyof ManagedProperties, string][];
    for (const [role, property] of managed) {
      if (set[property] === undefined && !remove.includes(property)) continue;
      throw invalidArgument(
        property,
        `it is the ${roleText[role]}, which the library sets`,
        `leave ${property} out`,
        { entity: this.#model.name },
      );
    }
  }
}

const roleText: Readonly<Record<keyof ManagedProperties, string>> = {
  revision: 'revision of the row',
  createdAt: 'time of its creation',
  updatedAt: 'time of its last write',
};
