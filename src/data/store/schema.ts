/**
 * Tables, families and garbage collection rules, in the terms of
 * google/bigtable/admin/v2/table.proto.
 */

/** When a cell of a family may be deleted. */
export type GcRule =
  /** Keeps the newest `versions` cells of each column; at least 1. */
  | { readonly kind: 'maxVersions'; readonly versions: number }
  /** Deletes cells older than `micros` microseconds; at least 1,000. */
  | { readonly kind: 'maxAge'; readonly micros: number }
  /** Deletes cells that match any of the rules. */
  | { readonly kind: 'union'; readonly rules: readonly GcRule[] }
  /** Deletes cells that match all of the rules. */
  | { readonly kind: 'intersection'; readonly rules: readonly GcRule[] };

/** How an aggregate family combines the values added to a cell. */
export type Aggregate = 'sum' | 'min' | 'max';

/** The unit of a table's timestamps, which are always written in microseconds. */
export type Granularity = 'millis' | 'micros';

/** A column family. */
export interface FamilySchema {
  /** Without a rule, cells are never deleted. */
  readonly gc?: GcRule;
  /** For aggregate families over int64; cannot be changed after the family is created. */
  readonly aggregate?: Aggregate;
  /**
   * Type of a stored family that is neither plain cells nor one of the aggregates above. Such
   * families can be listed but not created.
   */
  readonly otherType?: string;
}

/** A table. */
export interface TableSchema {
  /** 1 to 50 characters of `[_a-zA-Z0-9][-_.a-zA-Z0-9]*`. */
  readonly name: string;
  /** Families by name: 1 to 64 characters of `[_a-zA-Z0-9][-_.a-zA-Z0-9]*`. */
  readonly families: ReadonlyMap<string, FamilySchema>;
  /** Keys at which the table is initially split; the embedded engine stores but ignores them. */
  readonly splitKeys?: readonly Uint8Array[];
  /** `millis` (default): timestamps are multiples of 1,000. Fixed when the table is created. */
  readonly granularity?: Granularity;
  /** Protects the table and its families from deletion; default false. */
  readonly deletionProtection?: boolean;
  /** Live only: how long changes of rows can be read from the change stream, in microseconds. */
  readonly changeStreamMicros?: number;
  /** Live only: backups that Bigtable makes by itself. */
  readonly automatedBackup?: AutomatedBackup;
  /** Live only: the encoded google.bigtable.admin.v2.Type.Struct that describes row keys to SQL. */
  readonly rowKeySchema?: Uint8Array;
}

/** How often backups are made, and how long they are kept; in microseconds. */
export interface AutomatedBackup {
  readonly retentionMicros: number;
  readonly frequencyMicros: number;
}

/**
 * Settings of a table that can be changed later, apart from its families. What is omitted stays;
 * null removes a setting. Embedded engines have deletionProtection only: other settings are
 * UNSUPPORTED.
 */
export interface TableUpdate {
  /** See TableSchema. */
  readonly deletionProtection?: boolean;
  /** See TableSchema; 1 to 7 days. */
  readonly changeStreamMicros?: number | null;
  /** See TableSchema. */
  readonly automatedBackup?: AutomatedBackup | null;
  /** See TableSchema. It can be set and removed, but not changed. */
  readonly rowKeySchema?: Uint8Array | null;
}

/** One change of a table's families; several are applied together or not at all. */
export type FamilyChange =
  | { readonly kind: 'create'; readonly family: string; readonly schema: FamilySchema }
  | {
      readonly kind: 'update';
      readonly family: string;
      /** The new rule; undefined removes the rule, so that cells are never deleted. */
      readonly gc: GcRule | undefined;
    }
  | { readonly kind: 'drop'; readonly family: string };
