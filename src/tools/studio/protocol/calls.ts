/**
 * The protocol between the page and the server of the studio.
 *
 * Every call is `POST /api/NAME` with a JSON body and the header `content-type: application/json`;
 * the cookie authorizes it. `StudioCalls` are answered with one JSON value, `StudioStreams` with
 * NDJSON: one line for each element, as they come. Each stream but `heat` ends with a line of type
 * `end`, `report`, `done` or `error`; one that ends without it was cut off. A call is cancelled
 * when its connection is closed: abort the fetch. The status tells about failures before the first
 * line; later ones are lines. `StudioFailure` describes them.
 *
 * These files are types alone and import nothing, so that the page can share them.
 */
import type {
  Changed,
  InsertRequest,
  RemoveRequest,
  UpdateRequest,
  Validated,
  ValidateRequest,
} from './change.js';
import type { ErrorLine, ProgressLine } from './failure.js';
import type {
  DerivedLine,
  DerivedRequest,
  DerivedState,
  Drift,
  GcLine,
  GcRequest,
  HeatLine,
  HeatRequest,
  LintReport,
} from './insight.js';
import type {
  CountedLine,
  CountRequest,
  Measured,
  MeasureRequest,
  ExplainedQuery,
  StudioQuery,
  QueryText,
  RowsLine,
  RowsRequest,
  ValuesFound,
  ValuesRequest,
} from './query.js';
import type {
  CellsLine,
  CellsRequest,
  CellBytes,
  CellBytesRequest,
  PartRequest,
  PartView,
  RowDetail,
  RowName,
  TableRowsLine,
  TableRowsRequest,
} from './row.js';
import type { SchemaInfo, TablesLine } from './schema.js';
import type { Session } from './session.js';
import type { SimulateLine, SimulateRequest } from './simulate.js';
import type {
  ExportRequest,
  ImportRequest,
  Transfer,
  TransferLine,
  TransferRequest,
} from './transfer.js';

/** No arguments: `{}`. */
type Nothing = Readonly<Record<never, never>>;

interface Call<Request, Response> {
  readonly request: Request;
  readonly response: Response;
}

interface Stream<Request, Line> {
  readonly request: Request;
  readonly line: Line;
}

/** Calls that are answered with one JSON value. */
export interface StudioCalls {
  readonly session: Call<Nothing, Session>;
  readonly schema: Call<Nothing, SchemaInfo>;
  /** Values of the next segment, as suggestions of a form. */
  readonly values: Call<ValuesRequest, ValuesFound>;
  readonly typescript: Call<{ readonly query: StudioQuery }, QueryText>;
  readonly explain: Call<{ readonly query: StudioQuery }, ExplainedQuery>;

  readonly row: Call<RowName, RowDetail>;
  readonly part: Call<PartRequest, PartView>;
  readonly cellValue: Call<CellBytesRequest, CellBytes>;
  /** A link to the bytes of a cell, whatever their size. */
  readonly downloadCell: Call<CellBytesRequest, Transfer>;

  readonly validate: Call<ValidateRequest, Validated>;
  readonly update: Call<UpdateRequest, Changed>;
  readonly insert: Call<InsertRequest, Changed>;
  readonly remove: Call<RemoveRequest, Changed>;

  readonly drift: Call<Nothing, Drift>;
  readonly lint: Call<Nothing, LintReport>;
  readonly derived: Call<Nothing, DerivedState>;

  readonly export: Call<ExportRequest, Transfer>;
  readonly import: Call<ImportRequest, Transfer>;
  /** Stops an export or import; its `progress` ends with a report. */
  readonly cancel: Call<TransferRequest, { readonly cancelled: boolean }>;
}

/** Calls that are answered with lines. */
export interface StudioStreams {
  readonly tables: Stream<Nothing, TablesLine | ErrorLine>;
  readonly rows: Stream<RowsRequest, RowsLine>;
  readonly count: Stream<CountRequest, ProgressLine | CountedLine | ErrorLine>;
  readonly measure: Stream<
    MeasureRequest,
    ProgressLine | { readonly type: 'report'; readonly measured: Measured } | ErrorLine
  >;
  readonly cells: Stream<CellsRequest, CellsLine>;
  readonly tableRows: Stream<TableRowsRequest, TableRowsLine>;
  readonly gc: Stream<GcRequest, GcLine>;
  readonly verify: Stream<DerivedRequest, DerivedLine>;
  readonly repair: Stream<DerivedRequest, DerivedLine>;
  readonly rebuild: Stream<DerivedRequest, DerivedLine>;
  readonly propagate: Stream<DerivedRequest, DerivedLine>;
  readonly heat: Stream<HeatRequest, HeatLine>;
  readonly simulate: Stream<SimulateRequest, SimulateLine>;
  readonly progress: Stream<TransferRequest, TransferLine>;
}
