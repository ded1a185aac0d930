/**
 * What a table is: families, garbage collection rules, split keys. Bigtable's own terms
 * (google/bigtable/admin/v2/table.proto).
 */

/** When a cell of a family may be deleted. */
export type GcRule =
  | {
      readonly kind: 'maxVersions';
      /** Cells kept in each column, newest first; at least 1. */ readonly versions: number;
    }
  | {
      readonly kind: 'maxAge';
      /** Age past which a cell goes, in microseconds; at least 1,000. */ readonly micros: number;
    }
  | {
      readonly kind: 'union';
      /** A cell goes when any rule says so. */ readonly rules: readonly GcRule[];
    }
  | {
      readonly kind: 'intersection';
      /** A cell goes when every rule says so. */ readonly rules: readonly GcRule[];
    };

/** How an aggregate family combines what is added to one of its cells. */
export type Aggregate = 'sum' | 'min' | 'max';

/** The unit of a table's timestamps, which are always written in microseconds. */
export type Granularity = 'millis' | 'micros';

/** A column family. */
export interface FamilySchema {
  /** Without a rule nothing is ever collected. */
  readonly gc?: GcRule;
  /** Set for an aggregate family over int64; fixed when the family is created. */
  readonly aggregate?: Aggregate;
  /**
   * Only of a stored family: the type that it has, where that is neither plain cells nor an
   * aggregate above. Such a family can be listed, not created.
   */
  readonly otherType?: string;
}

/** A table: its name, its families by name, and the keys it was split at. */
export interface TableSchema {
  /** 1 to 50 characters of `[_a-zA-Z0-9][-_.a-zA-Z0-9]*`. */
  readonly name: string;
  /** Families by name: 1 to 64 characters of `[_a-zA-Z0-9][-_.a-zA-Z0-9]*`. */
  readonly families: ReadonlyMap<string, FamilySchema>;
  /** Keys at which the table is split from the start; a hint the embedded engine only keeps. */
  readonly splitKeys?: readonly Uint8Array[];
  /** `millis` (default): timestamps are multiples of 1,000. Fixed when the table is created. */
  readonly granularity?: Granularity;
  /** A protected table can neither be deleted nor lose a family; default false. */
  readonly deletionProtection?: boolean;
}

/** What of a table may change after it is created, its families aside. */
export interface TableUpdate {
  /** See TableSchema; as it was when left out. */
  readonly deletionProtection?: boolean;
}

/** One change of a table's families; several are applied together or not at all. */
export type FamilyChange =
  | { readonly kind: 'create'; readonly family: string; readonly schema: FamilySchema }
  | {
      readonly kind: 'update';
      readonly family: string;
      /** The new rule; undefined keeps everything. */ readonly gc: GcRule | undefined;
    }
  | { readonly kind: 'drop'; readonly family: string };
