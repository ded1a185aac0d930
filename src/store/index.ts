/** The language of storage. */
export type { Cell, Micros, Row } from './row.js';
export type { RowCursor, RowStream } from './row-cursor.js';
export { collectRows, copyBytes, copyRow } from './row-cursor.js';
export type { Filter } from './filter.js';
export type { CheckAndMutate, Mutation, ReadModifyWriteRule, RowMutation } from './mutation.js';
export type { ReadOptions, ReadPlan } from './read-plan.js';
export type { DropTarget, Engine, SampledKey } from './engine.js';
export type { Aggregate, FamilyChange, FamilySchema, GcRule, TableSchema } from './schema.js';
