/** What a run asks of a service. test/tools/conformance/verify-service.test.ts counts it. */
export const runCost = {
  /** Tables that are created, one after another. */
  tables: 6,
  /** Requests about rows, without the random operations. */
  requests: 350,
  /** Tables and families that are created, changed or dropped. */
  tableChanges: 40,
  /** Bytes that are written, without the random operations. */
  bytes: 200_000,
} as const;
