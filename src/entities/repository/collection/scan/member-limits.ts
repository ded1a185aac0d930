/** Counts the rows of each member, in all or in each group, against their limits. */
import { equalBytes, isBytes, isDate } from '../../../../base/index.js';
import { copyOf } from '../../../query/index.js';
import type { PlannedMember } from '../plan/collection-plan.js';
import type { MemberRow } from './member-rows.js';
import type { UsualRows } from './usual-rows.js';

type Values = Readonly<Record<string, unknown>>;

/** The limits of the members of one read, as it goes on. */
export class MemberLimits {
  readonly #groupNames: readonly string[];
  /** All rows are in one group, or in none. */
  readonly isOneGroup: boolean;
  readonly #members: readonly PlannedMember[];
  /** Members with a limit. */
  readonly #limits: readonly PlannedMember[];
  readonly #remaining = new Map<PlannedMember, number>();
  /** Rows of members without a limit. */
  readonly #counts = new Map<PlannedMember, number>();
  #group: Values | undefined;

  /** `remaining` are the rows left of members that an earlier page has read rows of. */
  constructor(
    members: readonly PlannedMember[],
    groupNames: readonly string[],
    remaining: Readonly<Record<string, number>> = {},
    isOneGroup = groupNames.length === 0,
  ) {
    this.isOneGroup = isOneGroup;
    this.#groupNames = groupNames;
    this.#members = members;
    this.#limits = members.filter(({ limit }) => limit !== Infinity);
    for (const member of this.#limits)
      this.#remaining.set(member, remaining[member.kind] ?? member.limit);
  }

  /** Counts a row in reading order. Returns false if it is beyond the limit of its member. */
  take({ member, entity }: MemberRow): boolean {
    if (this.#limits.length === 0) return true;
    if (!this.isOneGroup && !this.#isInGroup(entity)) this.#beginGroup(entity);
    const remaining = this.#remaining.get(member);
    if (remaining === undefined) {
      this.#counts.set(member, (this.#counts.get(member) ?? 0) + 1);
      return true;
    }
    if (remaining === 0) return false;
    this.#remaining.set(member, remaining - 1);
    return true;
  }

  /** No more rows of the member are wanted: of the current group, or at all. */
  isExhausted(member: PlannedMember): boolean {
    return this.#remaining.get(member) === 0;
  }

  /**
   * About how many rows are left: a stream of so many mostly suffices if members have limits.
   * Infinity if nothing is known of them, because no member has a limit or there are many groups.
   */
  rowsLeft(usual: UsualRows): number {
    if (this.#limits.length === 0 && !this.#members.every(({ isSingle }) => isSingle))
      return Infinity;
    if (!this.isOneGroup) return Infinity;
    return this.#members
      .map((member) => this.#remaining.get(member) ?? (member.isSingle ? 1 : usual.of(member.kind)))
      .reduce((sum, rows) => sum + rows, 0);
  }

  /** Learns how many rows members without a limit have, once all of them were read. */
  learn(usual: UsualRows): void {
    if (this.#limits.length === 0 || !this.isOneGroup) return;
    for (const member of this.#members)
      if (member.limit === Infinity && !member.isSingle)
        usual.learn(member.kind, this.#counts.get(member) ?? 0);
  }

  /** The members that are exhausted. */
  exhausted(): readonly PlannedMember[] {
    return this.#limits.filter((member) => this.isExhausted(member));
  }

  #isInGroup(entity: object): boolean {
    return this.#group !== undefined && sameSegments(this.#groupNames, this.#group, entity);
  }

  #beginGroup(entity: object): void {
    // A copy: the entity is the caller's before the group ends.
    this.#group = Object.fromEntries(
      this.#groupNames.map((name) => [name, copyOf((entity as Values)[name])]),
    );
    for (const member of this.#limits) this.#remaining.set(member, member.limit);
  }
}

/** Whether two rows have equal values of segments. */
export function sameSegments(names: readonly string[], a: object, b: object): boolean {
  return names.every((name) => sameValue((a as Values)[name], (b as Values)[name]));
}

function sameValue(a: unknown, b: unknown): boolean {
  if (isDate(a) && isDate(b)) return a.getTime() === b.getTime();
  if (isBytes(a) && isBytes(b)) return equalBytes(a, b);
  return a === b;
}
