/** google.bigtable.v2.Bigtable over an engine. All other methods return UNIMPLEMENTED. */
import { maxMutations, RowsmithError, type FaultTexts } from '../../base/index.js';
import {
  requestError,
  CheckAndMutateRowRequest,
  CheckAndMutateRowResponse,
  MutateRowRequest,
  MutateRowResponse,
  unsupportedRequest,
  withToken,
  parseInstance,
  PingAndWarmRequest,
  PingAndWarmResponse,
  decodeFilter,
  decodeRowKey,
  ReadModifyWriteRowRequest,
  ReadModifyWriteRowResponse,
  decodeMutateRowsSteps,
  decodeMutations,
  decodeReadRequest,
  ReadRowsRequest,
  decodeRules,
  encodeRow,
  SampleRowKeysRequest,
  SampleRowKeysResponse,
  encodeMutateRowsResponse,
  type ContentOf,
  type MutateRows,
} from '../../engines/protocol/index.js';
import type { Engine, Filter, RowMutation } from '../../data/store/index.js';
import { wantsStats } from './read-stats.js';
import { sendRows } from './row-sender.js';
import { assertReverseScans } from './feature-flags.js';
import type { Methods, RequestHeader, ResponseStream, Service } from '../rpc.js';
import { nextTurn, runInSlices } from './slices.js';
import { Stagger } from './stagger.js';
import { Turns } from './turns.js';
import type { ProfileRouting } from '../resources/profile-routing.js';
import { tableNameOf, type CallTargets } from './call-target.js';

/**
 * Number of entries from which a request counts as large; large requests start apart from each
 * other. Requests that share a commit are answered together, and a client that prepares its next
 * requests when it gets the responses would then work only while we wait. Small requests gain more
 * from sharing a commit and its flush.
 */
const largeRequest = 500;
/**
 * Entries that are written together and answered by one message. The engine's commits have at most
 * as many.
 */
const entriesPerSlice = 10_000;

/** The methods of the service. */
export function dataService(
  service: Service,
  engine: Engine,
  targets: CallTargets,
  routing: ProfileRouting,
): Methods {
  const data = new DataService(engine, targets, routing);
  return {
    ReadRows: service.streaming(
      'ReadRows',
      ReadRowsRequest,
      (request, responses, header) => data.readRows(request, responses, header),
      tableNameOf,
    ),
    SampleRowKeys: service.streaming(
      'SampleRowKeys',
      SampleRowKeysRequest,
      (request, responses) => data.sampleRowKeys(request, responses),
      tableNameOf,
    ),
    MutateRow: service.unary(
      'MutateRow',
      MutateRowRequest,
      MutateRowResponse,
      (request) => data.mutateRow(request),
      tableNameOf,
    ),
    MutateRows: service.streaming(
      'MutateRows',
      {
        decodeSlices: (bytes, signal) => runInSlices(decodeMutateRowsSteps(bytes), signal),
      },
      (request, responses) => data.mutateRows(request, responses),
      tableNameOf,
    ),
    CheckAndMutateRow: service.unary(
      'CheckAndMutateRow',
      CheckAndMutateRowRequest,
      CheckAndMutateRowResponse,
      (request, signalOf) => data.checkAndMutateRow(request, signalOf()),
      tableNameOf,
    ),
    ReadModifyWriteRow: service.unary(
      'ReadModifyWriteRow',
      ReadModifyWriteRowRequest,
      ReadModifyWriteRowResponse,
      (request) => data.readModifyWriteRow(request),
      tableNameOf,
    ),
    PingAndWarm: service.unary(
      'PingAndWarm',
      PingAndWarmRequest,
      PingAndWarmResponse,
      async ({ name }) => {
        parseInstance(name);
        return {};
      },
    ),
  };
}

class DataService {
  readonly #largeRequests = new Stagger();
  readonly #reads = new Turns();
  readonly #appliesOnce: boolean;
  readonly #targets: CallTargets;
  readonly #routing: ProfileRouting;

  constructor(engine: Engine, targets: CallTargets, routing: ProfileRouting) {
    this.#appliesOnce = engine.appliesOnce === true;
    this.#targets = targets;
    this.#routing = routing;
  }

  async readRows(
    request: ContentOf<typeof ReadRowsRequest>,
    responses: ResponseStream,
    header: RequestHeader,
  ): Promise<void> {
    if (request.reversed === true) assertReverseScans(header);
    const stats = wantsStats(request.requestStatsView);
    const { engine, table } = await this.#targets.find(request);
    const plan = decodeReadRequest(request, table);
    const turn = this.#reads.next();
    if (turn !== undefined) await turn;
    await sendRows(engine, plan, responses, stats);
  }

  async sampleRowKeys(
    request: ContentOf<typeof SampleRowKeysRequest>,
    responses: ResponseStream,
  ): Promise<void> {
    const { engine, table } = await this.#targets.find(request);
    for (const { key, offsetBytes } of await engine.sampleRowKeys(table)) {
      const message = SampleRowKeysResponse.encode({
        rowKey: key,
        offsetBytes: BigInt(offsetBytes),
      });
      if (!responses.write(message)) await responses.drained();
    }
  }

  async mutateRow(request: ContentOf<typeof MutateRowRequest>): Promise<object> {
    const { engine, table } = await this.#targets.find(request);
    this.#routing.assertWritable(tableNameOf(request), request.appProfileId);
    const key = decodeRowKey(request.rowKey);
    const mutations = decodeMutations(request.mutations);
    if (mutations.length === 0) throw requestError('mutations', faults.missingMutations);
    const row = withToken({ key, mutations }, request.idempotency);
    this.#assertAppliesOnce(row);
    await engine.mutateRow(table, row);
    return {};
  }

  async mutateRows(
    { entries, mutations, ...request }: MutateRows,
    responses: ResponseStream,
  ): Promise<void> {
    const { engine, table } = await this.#targets.find(request);
    this.#routing.assertWritable(tableNameOf(request), request.appProfileId);
    if (mutations === 0) throw requestError('entries', faults.missingMutations);
    if (mutations > maxMutations) throw requestError('entries', faults.tooManyMutations(mutations));

    for (const entry of entries)
      if (!(entry instanceof RowsmithError)) this.#assertAppliesOnce(entry);
    if (entries.length >= largeRequest) await this.#largeRequests.begin();
    responses.signal.throwIfAborted();
    for (let start = 0; start < entries.length; start += entriesPerSlice) {
      if (start > 0) await nextTurn(responses.signal);
      let slice = entries;
      if (entries.length > entriesPerSlice) slice = entries.slice(start, start + entriesPerSlice);
      const errors = await writeRows(engine, table, slice);
      const message = encodeMutateRowsResponse(errors, start, tableNameOf(request));
      if (!responses.write(message)) await responses.drained();
    }
  }

  async checkAndMutateRow(
    request: ContentOf<typeof CheckAndMutateRowRequest>,
    signal: AbortSignal,
  ): Promise<ContentOf<typeof CheckAndMutateRowResponse>> {
    const { engine, table } = await this.#targets.find(request);
    this.#routing.assertSingleCluster(tableNameOf(request), request.appProfileId);
    const key = decodeRowKey(request.rowKey);
    const onTrue = decodeMutations(request.trueMutations);
    const onFalse = decodeMutations(request.falseMutations);
    if (onTrue.length === 0 && onFalse.length === 0)
      throw requestError('true_mutations', faults.missingMutations);
    const predicate = readPredicate(request.predicateFilter);
    const predicateMatched = await engine.checkAndMutateRow(
      table,
      { key, onTrue, onFalse, predicate },
      { signal },
    );
    // proto3 leaves the default value of a bool off the wire.
    if (!predicateMatched) return {};
    return { predicateMatched };
  }

  async readModifyWriteRow(
    request: ContentOf<typeof ReadModifyWriteRowRequest>,
  ): Promise<ContentOf<typeof ReadModifyWriteRowResponse>> {
    const { engine, table } = await this.#targets.find(request);
    this.#routing.assertSingleCluster(tableNameOf(request), request.appProfileId);
    const row = await engine.readModifyWriteRow(
      table,
      decodeRowKey(request.rowKey),
      decodeRules(request.rules),
    );
    return { row: encodeRow(row) };
  }

  /** Throws UNSUPPORTED for a row with a token that the engine would ignore. */
  #assertAppliesOnce({ token }: RowMutation): void {
    if (token === undefined || this.#appliesOnce) return;
    throw unsupportedRequest('idempotency', faults.unsupportedTokens);
  }
}

/** The error of each entry, undefined for success. Entries that did not decode are not written. */
async function writeRows(
  engine: Engine,
  table: string,
  entries: MutateRows['entries'],
): Promise<readonly (RowsmithError | undefined)[]> {
  if (entries.every(isRow)) return engine.mutateRows(table, entries);
  const errors = await engine.mutateRows(table, entries.filter(isRow));
  let next = 0;
  return entries.map((entry) => (entry instanceof RowsmithError ? entry : errors[next++]));
}

function isRow(entry: RowMutation | RowsmithError): entry is RowMutation {
  return !(entry instanceof RowsmithError);
}

function readPredicate(
  filter: ContentOf<typeof CheckAndMutateRowRequest>['predicateFilter'],
): Filter | undefined {
  if (filter === undefined) return undefined;
  return decodeFilter(filter);
}

const faults = {
  missingMutations: { problem: 'No mutations provided' },
  tooManyMutations: (mutations: number) => ({
    problem: `The request has ${mutations} mutations, the limit is ${maxMutations}.`,
  }),
  unsupportedTokens: { problem: 'The served engine does not store tokens.' },
} satisfies FaultTexts;
