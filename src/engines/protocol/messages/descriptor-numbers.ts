/** Numbers and names of google/protobuf/descriptor.proto that descriptors are written with. */
import type { FieldKind } from '../../../data/cell/index.js';

/** FieldDescriptorProto.Type of scalars; 10 is a group. */
export const descriptorTypes: Readonly<Record<Exclude<FieldKind, 'timestamp'>, number>> = {
  double: 1,
  float: 2,
  int64: 3,
  uint64: 4,
  int32: 5,
  fixed64: 6,
  fixed32: 7,
  bool: 8,
  string: 9,
  bytes: 12,
  uint32: 13,
  sfixed32: 15,
  sfixed64: 16,
  sint32: 17,
  sint64: 18,
};
/** FieldDescriptorProto.Type of messages and enums. */
export const [messageDescriptorType, enumDescriptorType] = [11, 14];
/** FieldDescriptorProto.Label. */
export const [optionalLabel, repeatedLabel] = [1, 3];

/**
 * The message that protobuf declares for the entries of a map field: `probesById` or
 * `probes_by_id` gives `ProbesByIdEntry`, as protoc derives it.
 */
export function mapEntryName(field: string): string {
  return `${field.replace(/(^|_+)([A-Za-z0-9]?)/g, (_, _before: string, next: string) => next.toUpperCase())}Entry`;
}
