/** The sentences of damaged pages. */
import type { FaultTexts } from '../../../../base/index.js';

export const pageFaults = {
  notALeafPage: { problem: 'is not a leaf page' },
  notABranchPage: { problem: 'is not a branch page' },
  freeSpaceOutOfBounds: { problem: 'has invalid bounds of its free space' },
  wrongNodeOffset: { problem: 'has an invalid node offset' },
  nodePastEnd: { problem: 'has a node that extends past its end' },
  unfilledNodeArea: { problem: 'has nodes that do not fill its node area' },
  keysOutOfOrder: { problem: 'has keys out of order' },
  keysBeyondBound: { problem: 'has keys beyond its upper bound' },
  unknownNode: { problem: 'has a node of an unknown kind' },
  wrongRunLength: { problem: 'begins a run of overflow pages of the wrong length' },
  wrongOverflowPage: { problem: 'is not an overflow page of the expected length' },
  freeListTooLong: { problem: 'has a list of free pages that is longer than its node' },
  freeButUsed: { problem: 'is listed as free, but in use' },
  wrongPageNumber: { problem: 'has a page number that differs from its position' },
  cutOff: { problem: 'is cut off' },
  referencedTwice: { problem: 'is referenced twice' },
  usedButFree: { problem: 'is in use, but listed as free' },
} satisfies FaultTexts;
