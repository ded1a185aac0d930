/**
 * Failed calls -> RowsmithError. The code of a status decides, but for servers known to send the
 * wrong one: then their words do (TRAPS.md).
 */
import { RowsmithError, type ErrorCode, type ErrorDetails } from '../../../errors.js';
import { statusCode } from '../../../protocol/index.js';
import { CallFault } from '../channel/channel.js';

const applySchema =
  'create what the entities declare: await db.admin.apply(), or `rowsmith schema apply`';

/** What a fault means; the first line that fits. `says` looks at the server's words. */
interface Meaning {
  readonly codes: readonly number[];
  readonly says?: RegExp;
  readonly code: ErrorCode;
  readonly fix?: string;
}

const { UNKNOWN, NOT_FOUND, ALREADY_EXISTS, INVALID_ARGUMENT, INTERNAL, FAILED_PRECONDITION } =
  statusCode;
/**
 * Google's emulator answers UNKNOWN for what its code refuses, and INTERNAL for the same in an
 * entry of MutateRows.
 */
const vague: readonly number[] = [UNKNOWN, INTERNAL];

const meanings: readonly Meaning[] = [
  {
    codes: [NOT_FOUND, ...vague],
    says: /column family not found|unknown family|family .* (not found|does not exist)|no such family/i,
    code: 'FAMILY_NOT_FOUND',
    fix: applySchema,
  },
  { codes: [NOT_FOUND], says: /table/i, code: 'TABLE_NOT_FOUND', fix: applySchema },
  {
    codes: [NOT_FOUND],
    code: 'INVALID_ARGUMENT',
    fix: 'look whether the url names an instance and an app profile that exist',
  },
  {
    codes: [ALREADY_EXISTS],
    says: /family/i,
    code: 'SCHEMA_CONFLICT',
    fix: 'take another name, or change the family that is there',
  },
  {
    codes: [ALREADY_EXISTS],
    code: 'TABLE_EXISTS',
    fix: 'take another name, delete the table first, or use the one that is there',
  },
  { codes: vague, says: /increment|not .*64-bit|8 bytes/i, code: 'FAILED_PRECONDITION' },
  { codes: [INVALID_ARGUMENT, statusCode.OUT_OF_RANGE], code: 'INVALID_ARGUMENT' },
  { codes: [FAILED_PRECONDITION], code: 'FAILED_PRECONDITION' },
  { codes: [statusCode.UNIMPLEMENTED], code: 'UNSUPPORTED' },
  {
    codes: [statusCode.PERMISSION_DENIED],
    code: 'PERMISSION_DENIED',
    fix: 'give the account a role on the instance: roles/bigtable.user, roles/bigtable.admin for db.admin',
  },
  {
    codes: [statusCode.UNAUTHENTICATED],
    code: 'PERMISSION_DENIED',
    fix: 'log in by `gcloud auth application-default login`, or open(url, { bigtable: { keyFilename } })',
  },
  {
    codes: [statusCode.RESOURCE_EXHAUSTED],
    code: 'QUOTA_EXCEEDED',
    fix: 'send less at a time, or add nodes or quota',
  },
  {
    codes: [
      statusCode.UNAVAILABLE,
      statusCode.DEADLINE_EXCEEDED,
      statusCode.ABORTED,
      statusCode.CANCELLED,
    ],
    code: 'UNAVAILABLE',
    fix: 'try again later; what was being written may have been written',
  },
];

/** Refusals that Google's emulator words in its own way, under UNKNOWN or INTERNAL. */
const refusal =
  /invalid|illegal|can(?:'|no)t|must |may not|should |missing|require|unsupported|bad |too |error parsing|negative|not supported|no mutation/i;

const statusNames = Object.fromEntries(
  Object.entries(statusCode).map(([name, code]) => [code, name]),
) as Readonly<Record<number, string>>;

/** The error of a fault, with what else is known; any other error stays what it is. */
export function engineError(fault: unknown, details: ErrorDetails): unknown {
  if (!(fault instanceof CallFault)) return fault;
  const { code, message } = fault;
  const meaning = meanings.find(
    ({ codes, says }) => codes.includes(code) && says?.test(message) !== false,
  );
  const refused = meaning === undefined && vague.includes(code) && refusal.test(message);
  const found = meaning?.code ?? (refused ? 'INVALID_ARGUMENT' : 'STORAGE_FAILED');
  const family = found === 'FAMILY_NOT_FOUND' ? familyIn(message) : undefined;
  return new RowsmithError(
    found,
    {
      ...details,
      ...(family === undefined ? {} : { family }),
      problem: message,
      ...(meaning?.fix === undefined ? {} : { fix: meaning.fix }),
      status: statusNames[code] ?? code,
    },
    { cause: fault },
  );
}

/** The name of the family, where the server says it. */
function familyIn(message: string): string | undefined {
  return /family not found: ([-_.a-zA-Z0-9]+)|family "([^"]*)"/
    .exec(message)
    ?.slice(1)
    .find((name) => name !== undefined);
}
