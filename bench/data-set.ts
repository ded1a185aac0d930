/**
 * The rows of the benchmarks, computed from their index, so that they need no memory. One tenant,
 * up to 1,000 devices. In order of arrival each device has one row a second.
 */
import { Reading, Status } from './reading.js';

/** The tenant of all rows. */
export const tenant = 't0042';

const states = ['RUNNING', 'DEGRADED', 'OFFLINE', 'CALIBRATING', 'STANDBY'];
const startMs = Date.UTC(2026, 0, 1);

/** The number of rows and their devices. */
export class DataSet {
  readonly devices: number;
  readonly perDevice: number;

  /** `rows` is rounded down to a multiple of 1,000. */
  constructor(rows: number) {
    this.devices = Math.max(1, Math.floor(rows / 1000));
    this.perDevice = 1000;
  }

  get rows(): number {
    return this.devices * this.perDevice;
  }

  /** Row `index` in order of arrival. */
  reading(index: number): Reading {
    return readingOf(index % this.devices, Math.floor(index / this.devices));
  }

  /** Rows `from` (inclusive) to `to` (exclusive) in order of arrival. */
  slice(from: number, to: number): Reading[] {
    return Array.from({ length: to - from }, (_, i) => this.reading(from + i));
  }

  /** All rows of a device in key order: newest first. */
  ofDevice(device: number): Reading[] {
    return Array.from({ length: this.perDevice }, (_, i) =>
      readingOf(device, this.perDevice - 1 - i),
    );
  }

  /** `count` devices, evenly distributed. */
  someDevices(count: number): number[] {
    const step = Math.max(1, Math.floor(this.devices / count));
    return Array.from({ length: Math.min(count, this.devices) }, (_, i) => i * step);
  }
}

/** The name of a device. */
export function deviceName(device: number): string {
  return `device-${String(device).padStart(7, '0')}`;
}

/** Reading `turn` of a device. */
export function readingOf(device: number, turn: number): Reading {
  const noise = scramble(device * 1_000_003 + turn);
  const reading = new Reading();
  reading.tenant = tenant;
  reading.device = deviceName(device);
  reading.at = new Date(startMs + turn * 1000 + (device % 1000));
  reading.status = statusOf(noise, turn);
  return reading;
}

function statusOf(noise: number, turn: number): Status {
  const status = new Status();
  status.note = `unit ${String(noise % 997).padStart(3, '0')} self-test passed, drift ${(noise % 1000) / 1e6 + 1} ppm, check ${noise.toString(16).padStart(8, '0')}, revision ${noise % 10}`;
  status.state = stateOf(noise);
  status.uptimeUs = BigInt(1_700_000_000_000_000 + turn * 1_000_000 + (noise % 1_000_000));
  status.temperature = -20 + (noise % 65_536) / 1024;
  status.humidity = (noise % 10_007) / 100.07;
  status.battery = noise % 4200;
  return status;
}

/** Most rows have the first state. */
function stateOf(noise: number): string {
  if (noise % 11 < 7) return states[0];
  return states[noise % states.length];
}

/** 32 pseudorandom bits. */
function scramble(value: number): number {
  let bits = value | 0;
  bits = Math.imul(bits ^ (bits >>> 16), 0x45d9f3b);
  bits = Math.imul(bits ^ (bits >>> 16), 0x45d9f3b);
  return (bits ^ (bits >>> 16)) >>> 0;
}
