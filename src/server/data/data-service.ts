/** google.bigtable.v2.Bigtable over an engine. Methods that are not here answer UNIMPLEMENTED. */
import { maxMutations } from '../../base/index.js';
import { RowsmithError } from '../../errors.js';
import {
  badRequest,
  CheckAndMutateRowRequest,
  CheckAndMutateRowResponse,
  MutateRowRequest,
  MutateRowResponse,
  notOffered,
  parseInstance,
  PingAndWarmRequest,
  PingAndWarmResponse,
  readFilter,
  readKey,
  ReadModifyWriteRowRequest,
  ReadModifyWriteRowResponse,
  readMutateRows,
  readMutations,
  readPlan,
  ReadRowsRequest,
  readRules,
  rowMessage,
  SampleRowKeysRequest,
  SampleRowKeysResponse,
  writeStatuses,
  type ContentOf,
  type MutateRows,
} from '../../protocol/index.js';
import type { Engine, RowMutation } from '../../store/index.js';
import { sendRows } from './row-sender.js';
import type { Methods, ResponseStream, Service } from '../rpc.js';
import { Stagger } from './stagger.js';
import type { TableNames } from '../admin/table-names.js';

/**
 * Rows from which a request begins apart from other large ones. Requests that are written in one
 * commit are answered together, and a client that makes its next ones when it has the answers then
 * works only while we wait. Small requests gain more by sharing a commit, and its flush.
 */
const largeRequest = 500;
/** Statuses of one MutateRowsResponse. */
const answersPerMessage = 10_000;

interface Target {
  readonly tableName?: string;
  readonly authorizedViewName?: string;
  readonly materializedViewName?: string;
}
const tableOf = ({ tableName }: Target): string | undefined => tableName;

/** The methods of the service. */
export function dataService(service: Service, engine: Engine, names: TableNames): Methods {
  const data = new DataService(engine, names);
  return {
    ReadRows: service.streaming(
      'ReadRows',
      ReadRowsRequest,
      (request, outlet) => data.readRows(request, outlet),
      tableOf,
    ),
    SampleRowKeys: service.streaming(
      'SampleRowKeys',
      SampleRowKeysRequest,
      (request, outlet) => data.sampleRowKeys(request, outlet),
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
      { decode: readMutateRows },
      (request, outlet) => data.mutateRows(request, outlet),
      tableOf,
    ),
    CheckAndMutateRow: service.unary(
      'CheckAndMutateRow',
      CheckAndMutateRowRequest,
      CheckAndMutateRowResponse,
      (request) => data.checkAndMutateRow(request),
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
  readonly #large = new Stagger();

  readonly #engine: Engine;
  readonly #names: TableNames;

  constructor(engine: Engine, names: TableNames) {
    this.#engine = engine;
    this.#names = names;
  }

  async readRows(
    request: ContentOf<typeof ReadRowsRequest>,
    outlet: ResponseStream,
  ): Promise<void> {
    await sendRows(this.#engine, readPlan(request, this.#table(request)), outlet);
  }

  async sampleRowKeys(
    request: ContentOf<typeof SampleRowKeysRequest>,
    outlet: ResponseStream,
  ): Promise<void> {
    for (const { key, offsetBytes } of await this.#engine.sampleRowKeys(this.#table(request))) {
      const message = SampleRowKeysResponse.encode({
        rowKey: key,
        offsetBytes: BigInt(offsetBytes),
      });
      if (!outlet.write(message)) await outlet.drained();
    }
  }

  async mutateRow(request: ContentOf<typeof MutateRowRequest>): Promise<object> {
    const table = this.#table(request);
    const key = readKey(request.rowKey);
    const mutations = readMutations(request.mutations);
    if (mutations.length === 0) throw badRequest('mutations', 'No mutations provided');
    await this.#engine.mutateRow(table, { key, mutations });
    return {};
  }

  async mutateRows(
    { entries, mutations, ...request }: MutateRows,
    outlet: ResponseStream,
  ): Promise<void> {
    const table = this.#table(request);
    if (mutations === 0) throw badRequest('entries', 'No mutations provided');
    if (mutations > maxMutations)
      throw badRequest(
        'entries',
        `The request has ${mutations} mutations, the limit is ${maxMutations}.`,
      );

    if (entries.length >= largeRequest) await this.#large.begin();
    outlet.signal.throwIfAborted();
    await sendStatuses(await this.#writeRows(table, entries), outlet, request.tableName);
  }

  /** What became of each entry. */
  async #writeRows(
    table: string,
    entries: MutateRows['entries'],
  ): Promise<readonly (RowsmithError | undefined)[]> {
    const rows = entries.filter((entry): entry is RowMutation => !(entry instanceof RowsmithError));
    const answers = await this.#engine.mutateRows(table, rows);
    if (rows.length === entries.length) return answers;
    let at = 0;
    return entries.map((entry) => (entry instanceof RowsmithError ? entry : answers[at++]));
  }

  async checkAndMutateRow(
    request: ContentOf<typeof CheckAndMutateRowRequest>,
  ): Promise<ContentOf<typeof CheckAndMutateRowResponse>> {
    const table = this.#table(request);
    const key = readKey(request.rowKey);
    const onTrue = readMutations(request.trueMutations);
    const onFalse = readMutations(request.falseMutations);
    if (onTrue.length === 0 && onFalse.length === 0)
      throw badRequest('true_mutations', 'No mutations provided');
    const predicate =
      request.predicateFilter === undefined ? undefined : readFilter(request.predicateFilter);
    const matched = await this.#engine.checkAndMutateRow(table, {
      key,
      onTrue,
      onFalse,
      ...(predicate === undefined ? {} : { predicate }),
    });
    // The default of a bool stays off the wire, as protobuf's own writers have it.
    return matched ? { predicateMatched: true } : {};
  }

  async readModifyWriteRow(
    request: ContentOf<typeof ReadModifyWriteRowRequest>,
  ): Promise<ContentOf<typeof ReadModifyWriteRowResponse>> {
    const table = this.#table(request);
    const row = await this.#engine.readModifyWriteRow(
      table,
      readKey(request.rowKey),
      readRules(request.rules),
    );
    return { row: rowMessage(row) };
  }

  #table({ tableName, authorizedViewName = '', materializedViewName = '' }: Target): string {
    if (authorizedViewName !== '')
      throw notOffered('authorized_view_name', 'Authorized views are not offered by this server.');
    if (materializedViewName !== '')
      throw notOffered(
        'materialized_view_name',
        'Materialized views are not offered by this server.',
      );
    return this.#names.find(tableName);
  }
}

async function sendStatuses(
  faults: readonly (RowsmithError | undefined)[],
  outlet: ResponseStream,
  table: string | undefined,
): Promise<void> {
  for (let start = 0; start < faults.length; start += answersPerMessage) {
    const message = writeStatuses(
      faults,
      start,
      Math.min(faults.length, start + answersPerMessage),
      table,
    );
    if (!outlet.write(message)) await outlet.drained();
  }
}
