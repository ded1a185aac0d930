/** Names of the entry messages that protobuf declares for map fields. */

/** `probesById` or `probes_by_id` gives `ProbesByIdEntry`, as protoc derives it. */
export function mapEntryName(field: string): string {
  return `${field.replace(/(^|_+)([A-Za-z0-9]?)/g, (_, _before: string, next: string) => next.toUpperCase())}Entry`;
}
