/** google.bigtable.v2.Bigtable over an engine. Methods that are not here answer UNIMPLEMENTED. */
import { RowsmithError } from '../errors.js';
import {
  badRequest, CheckAndMutateRowRequest, CheckAndMutateRowResponse, MutateRowRequest, MutateRowResponse, notOffered,
  parseInstance, PingAndWarmRequest, PingAndWarmResponse, readFilter, readKey, ReadModifyWriteRowRequest, ReadModifyWriteRowResponse, readMutateRows, readMutations, readPlan,
  ReadRowsRequest, readRules, rowMessage, SampleRowKeysRequest, SampleRowKeysResponse, writeStatuses,
  type ContentOf, type MutateRows,
} from '../protocol/index.js';
import type { Engine, RowMutation } from '../store/index.js';
import { sendRows } from './row-sender.js';
import type { Methods, Outlet, Service } from './rpc.js';
import type { TableNames } from './table-names.js';

/** Most mutations of one request, over all its entries (bigtable.proto, MutateRowsRequest.entries). */
const mostMutations = 100_000;
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
    ReadRows: service.streaming('ReadRows', ReadRowsRequest, (request, outlet) => data.readRows(request, outlet), tableOf),
    SampleRowKeys: service.streaming('SampleRowKeys', SampleRowKeysRequest, (request, outlet) => data.sampleRowKeys(request, outlet), tableOf),
    MutateRow: service.unary('MutateRow', MutateRowRequest, MutateRowResponse, (request) => data.mutateRow(request), tableOf),
    MutateRows: service.streaming('MutateRows', { decode: readMutateRows }, (request, outlet) => data.mutateRows(request, outlet), tableOf),
    CheckAndMutateRow: service.unary('CheckAndMutateRow', CheckAndMutateRowRequest, CheckAndMutateRowResponse, (request) => data.checkAndMutateRow(request), tableOf),
    ReadModifyWriteRow: service.unary('ReadModifyWriteRow', ReadModifyWriteRowRequest, ReadModifyWriteRowResponse, (request) => data.readModifyWriteRow(request), tableOf),
    PingAndWarm: service.unary('PingAndWarm', PingAndWarmRequest, PingAndWarmResponse, async ({ name }) => {
      parseInstance(name);
      return {};
    }),
  };
}

class DataService {
  constructor(private readonly engine: Engine, private readonly names: TableNames) {}

  async readRows(request: ContentOf<typeof ReadRowsRequest>, outlet: Outlet): Promise<void> {
    await sendRows(this.engine, readPlan(request, this.table(request)), outlet);
  }

  async sampleRowKeys(request: ContentOf<typeof SampleRowKeysRequest>, outlet: Outlet): Promise<void> {
    for (const { key, offsetBytes } of await this.engine.sampleRowKeys(this.table(request))) {
      const message = SampleRowKeysResponse.encode({ rowKey: key, offsetBytes: BigInt(offsetBytes) });
      if (!outlet.write(message)) await outlet.drained();
    }
  }

  async mutateRow(request: ContentOf<typeof MutateRowRequest>): Promise<object> {
    const table = this.table(request);
    const key = readKey(request.rowKey);
    const mutations = readMutations(request.mutations);
    if (mutations.length === 0) throw badRequest('mutations', 'No mutations provided');
    await this.engine.mutateRow(table, { key, mutations });
    return {};
  }

  async mutateRows({ entries, mutations, ...request }: MutateRows, outlet: Outlet): Promise<void> {
    const table = this.table(request);
    if (mutations === 0) throw badRequest('entries', 'No mutations provided');
    if (mutations > mostMutations) throw badRequest('entries', `The request has ${mutations} mutations, the limit is ${mostMutations}.`);

    const faults: (RowsmithError | undefined)[] = new Array<undefined>(entries.length).fill(undefined);
    const rows: RowMutation[] = [];
    const indexes: number[] = [];
    entries.forEach((entry, index) => {
      if (entry instanceof RowsmithError) {
        faults[index] = entry;
        return;
      }
      rows.push(entry);
      indexes.push(index);
    });
    const answers = await this.engine.mutateRows(table, rows);
    answers.forEach((fault, i) => { faults[indexes[i]] = fault; });
    await sendStatuses(faults, outlet, request.tableName);
  }

  async checkAndMutateRow(request: ContentOf<typeof CheckAndMutateRowRequest>): Promise<ContentOf<typeof CheckAndMutateRowResponse>> {
    const table = this.table(request);
    const key = readKey(request.rowKey);
    const onTrue = readMutations(request.trueMutations);
    const onFalse = readMutations(request.falseMutations);
    if (onTrue.length === 0 && onFalse.length === 0) throw badRequest('true_mutations', 'No mutations provided');
    const predicate = request.predicateFilter === undefined ? undefined : readFilter(request.predicateFilter);
    const matched = await this.engine.checkAndMutateRow(table, { key, onTrue, onFalse, ...(predicate === undefined ? {} : { predicate }) });
    // The default of a bool stays off the wire, as protobuf's own writers have it.
    return matched ? { predicateMatched: true } : {};
  }

  async readModifyWriteRow(request: ContentOf<typeof ReadModifyWriteRowRequest>): Promise<ContentOf<typeof ReadModifyWriteRowResponse>> {
    const table = this.table(request);
    const row = await this.engine.readModifyWriteRow(table, readKey(request.rowKey), readRules(request.rules));
    return { row: rowMessage(row) };
  }

  private table({ tableName, authorizedViewName = '', materializedViewName = '' }: Target): string {
    if (authorizedViewName !== '') throw notOffered('authorized_view_name', 'Authorized views are not offered by this server.');
    if (materializedViewName !== '') throw notOffered('materialized_view_name', 'Materialized views are not offered by this server.');
    return this.names.find(tableName);
  }
}

async function sendStatuses(faults: readonly (RowsmithError | undefined)[], outlet: Outlet, table: string | undefined): Promise<void> {
  for (let start = 0; start < faults.length; start += answersPerMessage) {
    const message = writeStatuses(faults, start, Math.min(faults.length, start + answersPerMessage), table);
    if (!outlet.write(message)) await outlet.drained();
  }
}
