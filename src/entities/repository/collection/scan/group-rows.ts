/** Puts the rows of a collection that are equal in leading segments together. */
import type { Pages } from '../../read/rows/entity-pages.js';
import type { CollectionPlan } from '../plan/collection-plan.js';
import { sameSegments } from './member-limits.js';
import type { MemberRow } from './member-rows.js';

/** A group as it is built. */
export interface RowGroup {
  /** The segments, and the members by kind: entities or arrays of them. */
  readonly result: Record<string, unknown> & { readonly members: Record<string, unknown> };
  /** Any of its rows. */
  readonly row: MemberRow;
}

/** Groups of rows, which come in key order. A group is held in memory until its last row came. */
export class GroupedRows implements Pages<RowGroup> {
  readonly #plan: CollectionPlan;
  readonly #rows: Pages<MemberRow>;
  /** The last group that is wanted ends with its first row. */
  readonly #peeks: boolean;
  #pending: RowGroup | undefined;
  /** Groups still wanted. */
  #wanted: number;

  constructor(plan: CollectionPlan, rows: Pages<MemberRow>, limit: number, peeks: boolean) {
    this.#plan = plan;
    this.#rows = rows;
    this.#wanted = limit;
    this.#peeks = peeks;
  }

  async next(): Promise<RowGroup[] | undefined> {
    const groups: RowGroup[] = [];
    while (this.#wanted > 0) {
      const page = await this.#rows.next();
      if (page === undefined) {
        if (this.#pending !== undefined) groups.push(this.#pending);
        this.#wanted = 0;
      } else {
        for (const row of page) this.#add(row, groups);
      }
      if (groups.length > 0) return groups;
    }
    await this.close();
    return undefined;
  }

  close(): Promise<void> {
    this.#wanted = 0;
    return this.#rows.close();
  }

  #add(row: MemberRow, groups: RowGroup[]): void {
    if (this.#wanted === 0) return;
    const { groupNames } = this.#plan;
    const pending = this.#pending;
    if (pending !== undefined && !sameSegments(groupNames, pending.result, row.entity)) {
      groups.push(pending);
      this.#pending = undefined;
      if (--this.#wanted === 0) return;
    }
    this.#pending ??= this.#begin(row);
    const { members } = this.#pending.result;
    const { kind, isSingle } = row.member;
    if (isSingle) members[kind] = row.entity;
    else (members[kind] as object[]).push(row.entity);
    if (!this.#peeks || this.#wanted > 1) return;
    groups.push(this.#pending);
    this.#pending = undefined;
    this.#wanted = 0;
  }

  #begin(row: MemberRow): RowGroup {
    const { groupNames, members } = this.#plan;
    const values = row.entity as Readonly<Record<string, unknown>>;
    const result = {
      ...Object.fromEntries(groupNames.map((name) => [name, values[name]])),
      members: Object.fromEntries(
        members.map(({ kind, isSingle }) => [kind, isSingle ? undefined : []]),
      ),
    };
    return { result, row };
  }
}
