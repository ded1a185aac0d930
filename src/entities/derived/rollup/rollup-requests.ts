/** Makes the requests of the rollup protocol, for writes and for builds. */
import { allEnded } from '../../../base/index.js';
import type { EntityModel } from '../../model/index.js';
import type { Engine } from '../../../data/store/index.js';
import type { Answer, MarkName, PlannedMark, Request } from '../protocol/step.js';
import { type ChangeMark, BucketRequests } from './bucket/bucket-requests.js';

type RollupRequest = Extract<Request, { kind: 'markBuckets' | 'settle' | 'unmark' }>;
/** Requests that only builds make. */
type BuildRequest = Extract<
  Request,
  { kind: 'readBucket' | 'startBuild' | 'scanBucket' | 'finishBuild' }
>;

/** The rollups of one entity. */
export class RollupRequests {
  readonly buckets: readonly BucketRequests[];

  constructor(engine: Engine, model: EntityModel) {
    this.buckets = model.rollups.map((rollup) => new BucketRequests(engine, rollup));
  }

  /** Rejects with the error of the storage. */
  async send(request: RollupRequest | BuildRequest): Promise<Answer<never>> {
    switch (request.kind) {
      case 'markBuckets':
        return this.#mark(request.marks);
      case 'settle':
        await allEnded(request.marks.map((mark) => this.buckets[mark.rollup].settle(mark)));
        return { kind: 'done', applied: true };
      case 'unmark':
        await this.#unmark(request.marks);
        return { kind: 'done', applied: true };
      default:
        throw new Error(`a write does not ask for ${request.kind}`);
    }
  }

  async #mark(marks: readonly PlannedMark[]): Promise<Answer<never>> {
    const written = await allEnded(
      marks.map((mark) => this.buckets[mark.rollup].mark(mark as ChangeMark)),
    );
    return { kind: 'marked', blocked: marks.filter((_, i) => !written[i]) };
  }

  async #unmark(marks: readonly MarkName[]): Promise<void> {
    const byBucket = new Map<string, MarkName[]>();
    for (const mark of marks) {
      const id = `${mark.rollup}:${mark.bucket}`;
      byBucket.set(id, [...(byBucket.get(id) ?? []), mark]);
    }
    await allEnded(
      Array.from(byBucket.values(), ([first, ...others]) => {
        const tokens = [first, ...others].map(({ token }) => token);
        return this.buckets[first.rollup].unmark(first.bucket, tokens);
      }),
    );
  }
}
