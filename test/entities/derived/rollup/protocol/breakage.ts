/** What is left out of the protocol or of storage, to show that the exploration would notice. */
import type { Breakage as RowBreakage } from '../../protocol/model-store.js';

export type Breakage =
  // Storage or requests:
  | 'no help'
  | 'no fence'
  | 'fence replaces the token'
  | 'no version'
  | 'keep the mark'
  | 'commit first'
  | 'settle without the mark'
  | 'no log'
  | 'log as read'
  | 'finish without the build'
  // Programs:
  | 'unmark after an unknown commit'
  | 'no marks after the scan'
  | 'all of the log is seen'
  | 'finish without the revision'
  | 'deleted rows have no order'
  | 'orders are clocks'
  | 'old marks are recovered'
  | 'stale before the commit'
  | 'repeated marks'
  | 'repeated starts'
  | 'one pass'
  | 'no second look';

/** What of it concerns the rows alone. */
export function rowBreakage(broken: Breakage | undefined): RowBreakage {
  return broken === 'no fence' || broken === 'no version' ? broken : undefined;
}
