/**
 * Maps rows of the official client to the same plain objects as ours, as applications do today,
 * with protobufjs for the packed cell.
 */
import protobuf from 'protobufjs';
import { wideNumbers, wideTexts } from './entities.js';
import type { Reading } from './entities.js';
import type { OfficialRow } from './official.js';

const StatusType = protobuf.Root.fromJSON({
  options: { syntax: 'proto3' },
  nested: {
    Status: {
      fields: {
        note: { id: 1, type: 'string' },
        state: { id: 2, type: 'string' },
        uptimeUs: { id: 3, type: 'int64' },
        temperature: { id: 4, type: 'double' },
        humidity: { id: 5, type: 'double' },
        battery: { id: 6, type: 'uint32' },
      },
    },
  },
}).lookupType('Status');

/** The object of a narrow row. */
export function narrowObject({ id, data }: OfficialRow): object {
  const [tenant, device, reversed] = id.toString('latin1').split('#');
  const status = StatusType.toObject(StatusType.decode(data.s.status[0].value));
  return {
    tenant,
    device,
    at: new Date(Number(9_223_372_036_854_775_807n - BigInt(reversed))),
    status: { ...status, uptimeUs: BigInt(String(status.uptimeUs)) },
  };
}

/**
 * The object of a wide row. The client decodes 8-byte values that are safe integers to numbers even
 * with `decode: false`; here they become bigints again.
 */
export function wideObject({ id, data }: OfficialRow): object {
  const [tenant, n] = id.toString('latin1').split('#');
  const row: Record<string, unknown> = { tenant, n: Number(n) };
  for (const name of wideTexts) row[name] = data.a[name][0].value.toString();
  for (const name of wideNumbers) {
    const value: unknown = data.b[name][0].value;
    row[name] = typeof value === 'number' ? BigInt(value) : (value as Buffer).readBigInt64BE();
  }
  return row;
}

/** A row for `insert` of the official client. */
export interface InsertedRow {
  readonly key: Buffer;
  readonly data: {
    readonly s: { readonly status: { readonly value: Buffer; readonly timestamp: string } };
  };
}

/** The row of a narrow entity. */
export function narrowRow({ tenant, device, at, status }: Reading): InsertedRow {
  const key = Buffer.from(
    `${tenant}#${device}#${9_223_372_036_854_775_807n - BigInt(at.getTime())}`,
  );
  const value = StatusType.encode(
    StatusType.fromObject(Object.assign({}, status, { uptimeUs: String(status?.uptimeUs) })),
  ).finish();
  return {
    key,
    data: {
      s: {
        status: {
          value: Buffer.from(value.buffer, value.byteOffset, value.length),
          timestamp: '1700000000000000',
        },
      },
    },
  };
}
