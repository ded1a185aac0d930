/** How far a copy of rows has come. */

/** Times and bytes of a copy, for the metadata of its operation. */
export class Progress {
  #bytes = 0;
  #endTime: Date | undefined;
  readonly #startTime: Date;
  readonly #totalBytes: number | undefined;

  constructor(startTime: Date, totalBytes?: bigint) {
    this.#startTime = startTime;
    this.#totalBytes = totalBytes === undefined ? undefined : Number(totalBytes);
  }

  get bytes(): number {
    return this.#bytes;
  }

  /** When it ended; undefined while it runs. */
  get endTime(): Date | undefined {
    return this.#endTime;
  }

  add(bytes: number): void {
    this.#bytes += bytes;
  }

  /** Notes the time; not before the start, though the clock may have been set back. */
  end(): Date {
    this.#endTime ??= new Date(Math.max(Date.now(), this.#startTime.getTime()));
    return this.#endTime;
  }

  /** An OperationProgress. */
  message(): { progressPercent: number; startTime: Date; endTime: Date | undefined } {
    const part = this.#bytes / Math.max(1, this.#totalBytes ?? 0);
    const progressPercent = this.#endTime ? 100 : Math.min(99, Math.floor(part * 100));
    return { progressPercent, startTime: this.#startTime, endTime: this.#endTime };
  }
}

/** A promise that is resolved from outside. */
export class Deferred {
  readonly promise: Promise<void>;
  resolve!: () => void;

  constructor() {
    this.promise = new Promise((resolve) => (this.resolve = resolve));
  }
}
