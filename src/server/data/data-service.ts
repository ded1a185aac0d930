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
import type { TableNames } from '../resources/table-names.js';

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

interface TargetTable {
  readonly tableName?: string;
  readonly authorizedViewName?: string;
  readonly materializedViewName?: string;
}
const tableOf = ({ tableName }: TargetTable): string | undefined => tableName;

/** The methods of the service. */
export function dataService(
  service: Service,
  engine: Engine,
  names: TableNames,
  routing: ProfileRouting,
): Methods {
  const data = new DataService(engine, names, routing);
  return {
    ReadRows: service.streaming(
      'ReadRows',
      ReadRowsRequest,
      (request, responses, header) => data.readRows(request, responses, header),
      tableOf,
    ),
    SampleRowKeys: service.streaming(
      'SampleRowKeys',
      SampleRowKeysRequest,
      (request, responses) => data.sampleRowKeys(request, responses),
      tableOf,
    ),
    MutateRow: service.unary(
      'MutateRow',
      MutateRowRequest,
      MutateRowResponse,
      (request) => data.mutateRow(request),
      tableOf,
    ),
    MutateRows: service.streaming(
      'MutateRows',
      {
        decodeSlices: (bytes, signal) => runInSlices(decodeMutateRowsSteps(bytes), signal),
      },
      (request, responses) => data.mutateRows(request, responses),
      tableOf,
    ),
    CheckAndMutateRow: service.unary(
      'CheckAndMutateRow',
      CheckAndMutateRowRequest,
      CheckAndMutateRowResponse,
      (request, signalOf) => data.checkAndMutateRow(request, signalOf()),
      tableOf,
    ),
    ReadModifyWriteRow: service.unary(
      'ReadModifyWriteRow',
      ReadModifyWriteRowRequest,
      ReadModifyWriteRowResponse,
      (request) => data.readModifyWriteRow(request),
      tableOf,
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
  readonly #engine: Engine;
  readonly #names: TableNames;
  readonly #routing: ProfileRouting;

  constructor(engine: Engine, names: TableNames, routing: ProfileRouting) {
    this.#engine = engine;
    this.#names = names;
    this.#routing = routing;
  }

  async readRows(
    request: ContentOf<typeof ReadRowsRequest>,
    responses: ResponseStream,
    header: RequestHeader,
  ): Promise<void> {
    if (request.reversed === true) assertReverseScans(header);
    const stats = wantsStats(request.requestStatsView);
    const plan = decodeReadRequest(request, this.#table(request));
    const turn = this.#reads.next();
    if (turn !== undefined) await turn;
    await sendRows(this.#engine, plan, responses, stats);
  }

  async sampleRowKeys(
    request: ContentOf<typeof SampleRowKeysRequest>,
    responses: ResponseStream,
  ): Promise<void> {
    for (const { key, offsetBytes } of await this.#engine.sampleRowKeys(this.#table(request))) {
      const message = SampleRowKeysResponse.encode({
        rowKey: key,
        offsetBytes: BigInt(offsetBytes),
      });
      if (!responses.write(message)) await responses.drained();
    }
  }

  async mutateRow(request: ContentOf<typeof MutateRowRequest>): Promise<object> {
    const table = this.#table(request);
    this.#routing.assertWritable(request.tableName, request.appProfileId);
    const key = decodeRowKey(request.rowKey);
    const mutations = decodeMutations(request.mutations);
    if (mutations.length === 0) throw requestError('mutations', faults.missingMutations);
    const row = withToken({ key, mutations }, request.idempotency);
    this.#assertAppliesOnce(row);
    await this.#engine.mutateRow(table, row);
    return {};
  }

  async mutateRows(
    { entries, mutations, ...request }: MutateRows,
    responses: ResponseStream,
  ): Promise<void> {
    const table = this.#table(request);
    this.#routing.assertWritable(request.tableName, request.appProfileId);
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
      const errors = await this.#writeRows(table, slice);
      const message = encodeMutateRowsResponse(errors, start, request.tableName);
      if (!responses.write(message)) await responses.drained();
    }
  }

  /**
   * The error of each entry, undefined for success. Entries that did not decode are not written.
   */
  async #writeRows(
    table: string,
    entries: MutateRows['entries'],
  ): Promise<readonly (RowsmithError | undefined)[]> {
    if (entries.every(isRow)) return this.#engine.mutateRows(table, entries);
    const errors = await this.#engine.mutateRows(table, entries.filter(isRow));
    let next = 0;
    return entries.map((entry) => (entry instanceof RowsmithError ? entry : errors[next++]));
  }

  async checkAndMutateRow(
    request: ContentOf<typeof CheckAndMutateRowRequest>,
    signal: AbortSignal,
  ): Promise<ContentOf<typeof CheckAndMutateRowResponse>> {
    const table = this.#table(request);
    this.#routing.assertSingleCluster(request.tableName, request.appProfileId);
    const key = decodeRowKey(request.rowKey);
    const onTrue = decodeMutations(request.trueMutations);
    const onFalse = decodeMutations(request.falseMutations);
    if (onTrue.length === 0 && onFalse.length === 0)
      throw requestError('true_mutations', faults.missingMutations);
    const predicate = readPredicate(request.predicateFilter);
    const predicateMatched = await this.#engine.checkAndMutateRow(
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
    const table = this.#table(request);
    this.#routing.assertSingleCluster(request.tableName, request.appProfileId);
    const row = await this.#engine.readModifyWriteRow(
      table,
      decodeRowKey(request.rowKey),
      decodeRules(request.rules),
    );
    return { row: encodeRow(row) };
  }

  /** Throws UNSUPPORTED for a row with a token that the engine would ignore. */
  #assertAppliesOnce({ token }: RowMutation): void {
    if (token === undefined || this.#engine.appliesOnce === true) return;
    throw unsupportedRequest('idempotency', faults.unsupportedTokens);
  }

  #table({ tableName, authorizedViewName = '', materializedViewName = '' }: TargetTable): string {
    if (authorizedViewName !== '')
      throw unsupportedRequest('authorized_view_name', faults.unsupportedAuthorizedView);
    if (materializedViewName !== '')
      throw unsupportedRequest('materialized_view_name', faults.unsupportedMaterializedView);
    return this.#names.find(tableName);
  }
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
  unsupportedAuthorizedView: { problem: 'Authorized views are not offered by this server.' },
  unsupportedMaterializedView: { problem: 'Materialized views are not offered by this server.' },
} satisfies FaultTexts;
