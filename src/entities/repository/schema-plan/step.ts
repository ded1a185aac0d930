/** The steps of a schema plan, as data. */
import type { SchemaChange, SchemaConflict } from '../database/schema-sync.js';
import type { TableUpdate } from '../../../data/store/index.js';

/**
 * How safe a step is, safest first: nothing is lost; cells or records are deleted later and cannot
 * be recovered; readers or clusters of a live database may differ for a time; data is deleted at
 * once, which no command here does; not possible in place.
 */
export type Safety = 'safe' | 'data-losing' | 'unsafe-live' | 'destructive' | 'impossible';

/** What a step changes. */
export type StepChange =
  | SchemaChange
  | SchemaConflict
  | OptionChange
  /** A stored family that no entity declares. */
  | { readonly kind: 'dropFamily'; readonly table: string; readonly family: string };

/** One step of a plan. */
export interface SchemaStep {
  readonly safety: Safety;
  readonly change: StepChange;
  /** One sentence. */
  readonly consequence: string;
  /** Whether apply makes the change: it may need a command of another tool. */
  readonly applies: boolean;
}

/** A setting of a table. */
export type OptionName = 'rowKeySchema' | 'changeStream' | 'automatedBackup' | 'deletionProtection';

/** A setting that is not stored as declared. */
export interface OptionChange {
  readonly kind: 'setOption';
  readonly table: string;
  readonly option: OptionName;
  /** Text of the stored value: `off`, `3d`, `delimited: device, at`. */
  readonly from: string;
  readonly to: string;
  /** The call that changes it. */
  readonly update: TableUpdate;
  readonly effect: 'on' | 'off' | 'more' | 'less' | 'other';
}
