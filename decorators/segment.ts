/** `@Segment`: a property that is part of the row key. */
import type { SegmentKind, SegmentOptions, SegmentValues } from '../src/data/key/index.js';
import type { EmittedValue } from '../src/entities/model/index.js';
import { propertyDecorator, type PropertyDecoratorOf } from './property-decorator.js';

/** The value of a segment kind; without a kind, every value that `design:type` can identify. */
export type SegmentValueOf<C> = [C] extends [undefined]
  ? EmittedValue
  : C extends SegmentKind
    ? SegmentValues[C]
    : EmittedValue;

/**
 * Declares how a segment of the row key is encoded. Without a kind, the kind is inferred from
 * `design:type`. `rowKey` decides the order of the segments.
 */
export function Segment<C extends SegmentKind | undefined = undefined, N extends boolean = false>(
  kind?: C,
  options: SegmentOptions & { readonly nullable?: N } = {},
): PropertyDecoratorOf<SegmentValueOf<C> | (true extends N ? null : never)> {
  return propertyDecorator('@Segment', (record, property, designType) =>
    record.segments.push({ property, type: kind, options, designType }),
  );
}
