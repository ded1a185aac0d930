/** The output of `gcloud bigtable hot-tablets list --format=json`. */
import { fileFailed, type FaultTexts } from '../../../base/index.js';
import type { HotTablet } from '../../../tools/heat/index.js';

/** The tablets of a file. Throws FILE_FAILED. */
export function readHotTablets(text: string, file: string): readonly HotTablet[] {
  const list = listOf(text, file);
  return list.map((each, index) => {
    const tablet = tabletOf(each);
    if (tablet !== undefined) return tablet;
    throw fileFailed(file, faults.missingFields(index + 1));
  });
}

function listOf(text: string, file: string): readonly unknown[] {
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch (error) {
    throw fileFailed(file, faults.notJson((error as Error).message));
  }
  // The API's own answer has the list in a field.
  const { hotTablets } = (value ?? {}) as { hotTablets?: unknown };
  if (Array.isArray(value)) return value as readonly unknown[];
  if (Array.isArray(hotTablets)) return hotTablets as readonly unknown[];
  throw fileFailed(file, faults.notAList);
}

function tabletOf(value: unknown): HotTablet | undefined {
  const fields = (value ?? {}) as Readonly<Record<string, unknown>>;
  const field = (camel: string, snake: string): unknown => fields[camel] ?? fields[snake];
  const table = field('tableName', 'table_name');
  const cpu = field('nodeCpuUsagePercent', 'node_cpu_usage_percent');
  // Empty keys, the ends of the table, are left out of the JSON form of protobuf messages.
  const startKey = field('startKey', 'start_key') ?? '';
  const endKey = field('endKey', 'end_key') ?? '';
  if (typeof table !== 'string' || typeof cpu !== 'number') return undefined;
  if (typeof startKey !== 'string' || typeof endKey !== 'string') return undefined;
  return {
    table: table.slice(table.lastIndexOf('/') + 1),
    startKey: Buffer.from(startKey),
    endKey: Buffer.from(endKey),
    cpu: cpu / 100,
    start: timeOf(field('startTime', 'start_time')),
    end: timeOf(field('endTime', 'end_time')),
  };
}

function timeOf(value: unknown): number {
  return typeof value === 'string' ? Date.parse(value) : 0;
}

const faults = {
  missingFields: (index: number) => ({
    problem: `tablet ${index} lacks tableName, startKey, endKey or nodeCpuUsagePercent`,
    fix: 'write the file with: gcloud bigtable hot-tablets list CLUSTER --instance=I --format=json',
  }),
  notJson: (message: string) => ({
    problem: `it is neither a recording nor JSON: ${message}`,
    fix: 'name a recording, or the output of gcloud bigtable hot-tablets list --format=json',
  }),
  notAList: {
    problem: 'it is JSON, but not a list of hot tablets',
    fix: 'write the file with: gcloud bigtable hot-tablets list CLUSTER --instance=I --format=json',
  },
} satisfies FaultTexts;
