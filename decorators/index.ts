/**
 * Decorators, for legacy (`experimentalDecorators`) and standard decorators alike. They only record
 * declarations; buildModel checks them.
 */
export { AlsoReads } from './also-reads.js';
export { Column } from './column.js';
export { ColumnMap } from './column-map.js';
export { Counter } from './counter.js';
export { CreatedAt } from './created-at.js';
export { type CheckEntity, Entity } from './entity.js';
export { Field } from './field.js';
export { LintIgnore } from './lint-ignore.js';
export { MapField } from './map-field.js';
export { Message } from './message.js';
export { Packed } from './packed.js';
export type {
  JudgedPropertyDecoratorOf,
  OptionalPropertyDecoratorOf,
  PropertyDecoratorOf,
} from './property-decorator.js';
export { RepeatedField } from './repeated-field.js';
export { Revision } from './revision.js';
export { Segment, type SegmentValueOf } from './segment.js';
export { UpdatedAt } from './updated-at.js';
export { Versions } from './versions.js';
