/** `@Segment`: a property that is part of the row key. */
import type { SegmentKind, SegmentOptions, SegmentValues } from '../src/key/index.js';
import { propertyDecorator, type PropertyDecoratorOf } from './property-decorator.js';

/** The value of a segment kind; the values `design:type` can tell where none is named. */
export type SegmentValueOf<C> = C extends SegmentKind
  ? SegmentValues[C]
  : string | bigint | Date | boolean | Uint8Array;

/**
 * How a segment of the key is written; without a kind, `design:type` decides. The order of segments
 * is that of `rowKey`.
 */
export function Segment<C extends SegmentKind | undefined = undefined, N extends boolean = false>(
  kind?: C,
  options?: SegmentOptions & { readonly nullable?: N },
): PropertyDecoratorOf<SegmentValueOf<C> | (true extends N ? null : never)> {
  return propertyDecorator('@Segment', (record, property, designType) =>
    record.segments.push({ property, type: kind, options: options ?? {}, designType }),
  );
}
