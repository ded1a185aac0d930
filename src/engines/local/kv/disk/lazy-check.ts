/**
 * Verifies the pages of a large lmdb file while it is used. When the file is opened, the tree of
 * free pages and the branch pages are checked. Leaf pages with the same parent, and the overflow
 * pages that they refer to, are a group of about a megabyte, which is checked before lmdb reads or
 * writes one of its keys; the other groups are checked in the background. Groups that have not been
 * checked are as they were when the file was opened, because a write checks its group, and both
 * neighbours, with which lmdb may merge pages.
 */
import { closeSync, openSync, statSync } from 'node:fs';
import { compareBytes, type FaultTexts } from '../../../../base/index.js';
import { type FileMeta, faultOf, type LeafGroup, PageCheck } from './check-pages.js';
import { checkMetaPages, corruptFileError } from './data-file.js';
import { pageReader } from './file-meta.js';

/** Pause between two groups that are checked in the background: about 40 MB/s. */
const pauseMs = 25;

const countsDiffer = 'the numbers of pages and pairs differ from those in the meta page';

/** A group, by its keys. */
interface KeyGroup {
  readonly low: Uint8Array | undefined;
  readonly secondLow: Uint8Array | undefined;
  readonly lastLow: Uint8Array | undefined;
  /** Undefined once it was checked. */
  leaves: LeafGroup | undefined;
}

type GroupState = 'unchecked' | 'intact' | 'damaged';

/** A part of a scan that may be read: up to `cut`, or to its end if undefined. */
export interface ScanPart {
  readonly cut: Uint8Array | undefined;
}

/** The check of one file. */
export class LazyCheck {
  readonly #states: GroupState[];
  #unchecked: number;
  #nextInBackground = 0;
  #timer: NodeJS.Timeout | undefined = undefined;
  /** A fault that no group is known to have. */
  #fault: string | undefined = undefined;
  #entries = 0n;
  #overflowPages = 0n;
  #isClosed = false;

  readonly #path: string;
  readonly #handle: number;
  readonly #meta: FileMeta;
  readonly #check: PageCheck;
  readonly #groups: KeyGroup[];

  /**
   * Begins to check a file; undefined if all its pages have been checked, because it has at most
   * `maxVerifiedBytes`, or none are to be. Throws CORRUPT_DATA.
   */
  static of(
    path: string,
    verify: boolean | undefined,
    maxVerifiedBytes: number,
  ): LazyCheck | undefined {
    const size = statSync(path, { throwIfNoEntry: false })?.size ?? 0;
    if (verify !== undefined || size <= maxVerifiedBytes) return undefined;
    return new LazyCheck(path);
  }

  constructor(path: string) {
    this.#path = path;
    this.#handle = openSync(path, 'r');
    try {
      this.#meta = checkMetaPages(this.#handle, path).newest;
      const check = (this.#check = new PageCheck(this.#meta, pageReader(this.#handle)));
      let groups: readonly LeafGroup[] = [];
      const fault = faultOf(() => {
        groups = check.leafGroups(this.#meta.main);
        check.checkTree(this.#meta.free, true);
      });
      if (fault !== undefined) throw corruptFileError(path, { problem: fault });
      this.#groups = groups.map(keyGroup);
    } catch (error) {
      closeSync(this.#handle);
      throw error;
    }
    this.#unchecked = this.#groups.length;
    this.#states = new Array<GroupState>(this.#unchecked).fill('unchecked');
    this.#scheduleNext();
  }

  /** True when everything was checked, and nothing was damaged. */
  get isDone(): boolean {
    return this.#unchecked === 0 && this.#fault === undefined && !this.#states.includes('damaged');
  }

  /** To be called before one pair is read. Throws CORRUPT_DATA. */
  beforeRead(key: Uint8Array): void {
    this.#ensure(this.#indexOf(key));
  }

  /** To be called before a pair is written. Throws CORRUPT_DATA. */
  beforeWrite(key: Uint8Array): void {
    const index = this.#indexOf(key);
    for (const i of [index - 1, index, index + 1]) this.#ensure(i);
  }

  /**
   * To be called before the pairs from `start` on are read in ascending order. A cursor reads one
   * pair more than those it returns, so a part ends before the last leaf page of a group.
   */
  ascendingPart(start: Uint8Array): ScanPart {
    let index = this.#indexOf(start);
    this.#ensure(index);
    for (; index + 1 < this.#groups.length; index++) {
      const { lastLow } = this.#groups[index];
      const isBeforeCut = lastLow !== undefined && compareBytes(start, lastLow) < 0;
      if (isBeforeCut && this.#states[index + 1] !== 'intact') return { cut: lastLow };
      this.#ensure(index + 1);
    }
    return { cut: undefined };
  }

  /** To be called before the pairs less than `end` are read in descending order. */
  descendingPart(end: Uint8Array): ScanPart {
    let index = this.#indexOf(end);
    this.#ensure(index);
    // lmdb looks for a key that is not less than `end`, which may be in the next group.
    this.#ensure(index + 1);
    for (; index > 0; index--) {
      const { secondLow } = this.#groups[index];
      const isAfterCut = secondLow !== undefined && compareBytes(end, secondLow) > 0;
      if (isAfterCut && this.#states[index - 1] !== 'intact') return { cut: secondLow };
      this.#ensure(index - 1);
    }
    return { cut: undefined };
  }

  close(): void {
    if (this.#isClosed) return;
    this.#isClosed = true;
    clearTimeout(this.#timer);
    closeSync(this.#handle);
  }

  /** Index of the group that holds the key; -1 if there are none. */
  #indexOf(key: Uint8Array): number {
    let low = 0;
    let high = this.#groups.length;
    while (low < high) {
      const middle = (low + high) >>> 1;
      const first = this.#groups[middle].low;
      if (first === undefined || compareBytes(first, key) <= 0) low = middle + 1;
      else high = middle;
    }
    return low - 1;
  }

  /** Checks a group that has not been checked. Throws CORRUPT_DATA if it is damaged. */
  #ensure(index: number): void {
    if (index < 0 || index >= this.#groups.length) return this.#throwFault();
    if (this.#states[index] === 'unchecked') this.#checkGroup(index);
    if (this.#states[index] === 'damaged') throw corruptFileError(this.#path, faults.damagedPages);
    this.#throwFault();
  }

  #throwFault(): void {
    if (this.#fault !== undefined) throw corruptFileError(this.#path, { problem: this.#fault });
  }

  #checkGroup(index: number): void {
    this.#unchecked--;
    this.#states[index] = 'damaged';
    const { depth, entries, overflowPages } = this.#meta.main;
    const fault = faultOf(() => {
      const found = this.#check.checkGroup(this.#groups[index].leaves!, depth);
      this.#entries += found.entries;
      this.#overflowPages += found.overflowPages;
    });
    this.#groups[index].leaves = undefined;
    if (fault !== undefined) return;
    this.#states[index] = 'intact';
    const isLast = this.#unchecked === 0 && !this.#states.includes('damaged');
    if (isLast && (this.#entries !== entries || this.#overflowPages !== overflowPages))
      this.#fault = countsDiffer;
  }

  #scheduleNext(): void {
    this.#timer = setTimeout(() => {
      while (this.#states[this.#nextInBackground] !== 'unchecked') {
        if (++this.#nextInBackground >= this.#groups.length) return;
      }
      this.#checkGroup(this.#nextInBackground);
      this.#scheduleNext();
    }, pauseMs).unref();
  }
}

/** The keys are copies, which do not keep whole pages alive. */
function keyGroup(leaves: LeafGroup): KeyGroup {
  const copy = (key: Buffer | undefined): Buffer | undefined => key && Buffer.from(key);
  const { low, secondLow, lastLow } = leaves;
  return { low: copy(low), secondLow: copy(secondLow), lastLow: copy(lastLow), leaves };
}

const faults = {
  damagedPages: { problem: 'pages of these keys are damaged' },
} satisfies FaultTexts;
