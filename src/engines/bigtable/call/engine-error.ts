/**
 * CallError -> RowsmithError, by the status code of the call. Google's emulator sends UNKNOWN or
 * INTERNAL for several errors; there the status text decides.
 */
import { type ErrorCode, type ErrorDetails, RowsmithError } from '../../../base/index.js';
import { statusCode } from '../../protocol/index.js';
import { CallError } from '../channel/channel.js';
import { isBroken } from './retry.js';

const applySchema =
  'create what the entities declare: await db.admin.apply(), or `rowsmith schema apply`';

const applySchemaFromShell =
  'rowsmith schema plan shows which tables and families are missing, and schema apply creates them';

/** A rule of the table below; the first that matches applies. */
interface ErrorRule {
  readonly codes: readonly number[];
  /** Must match the status text. */
  readonly message?: RegExp;
  readonly code: ErrorCode;
  readonly fix?: string;
  /** The fix of a call that writes nothing, if it differs. */
  readonly fixOfRead?: string;
  /** The fix for the command line, if it differs. */
  readonly shellFix?: string;
}

/**
 * Google's emulator returns UNKNOWN for most rejected requests, and INTERNAL for a rejected entry
 * of MutateRows.
 */
const unspecificCodes: readonly number[] = [statusCode.UNKNOWN, statusCode.INTERNAL];

const rules: readonly ErrorRule[] = [
  {
    codes: [statusCode.NOT_FOUND, ...unspecificCodes],
    message:
      /column family not found|unknown family|family .* (not found|does not exist)|no such family/i,
    code: 'FAMILY_NOT_FOUND',
    fix: applySchema,
    shellFix: applySchemaFromShell,
  },
  {
    codes: [statusCode.NOT_FOUND],
    message: /table/i,
    code: 'TABLE_NOT_FOUND',
    fix: applySchema,
    shellFix: applySchemaFromShell,
  },
  {
    codes: [statusCode.NOT_FOUND],
    code: 'INVALID_ARGUMENT',
    fix: 'check that the instance and the app profile in the url exist',
  },
  {
    codes: [statusCode.ALREADY_EXISTS],
    message: /family/i,
    code: 'SCHEMA_CONFLICT',
    fix: 'use another name, or change the existing family',
  },
  {
    codes: [statusCode.ALREADY_EXISTS],
    code: 'TABLE_EXISTS',
    fix: 'use another name, delete the table first, or use the existing one',
  },
  {
    codes: unspecificCodes,
    message: /increment|not .*64-bit|8 bytes/i,
    code: 'FAILED_PRECONDITION',
  },
  { codes: [statusCode.INVALID_ARGUMENT, statusCode.OUT_OF_RANGE], code: 'INVALID_ARGUMENT' },
  { codes: [statusCode.FAILED_PRECONDITION], code: 'FAILED_PRECONDITION' },
  { codes: [statusCode.UNIMPLEMENTED], code: 'UNSUPPORTED' },
  {
    codes: [statusCode.PERMISSION_DENIED],
    code: 'PERMISSION_DENIED',
    fix: 'give the account a role on the instance: roles/bigtable.user, roles/bigtable.admin for db.admin',
    shellFix:
      'give the account a role on the instance: roles/bigtable.user, and for tables roles/bigtable.admin',
  },
  {
    codes: [statusCode.UNAUTHENTICATED],
    code: 'PERMISSION_DENIED',
    fix: 'log in with `gcloud auth application-default login`, or open(url, { bigtable: { keyFilename } })',
    shellFix:
      'log in with `gcloud auth application-default login`, or set GOOGLE_APPLICATION_CREDENTIALS',
  },
  {
    codes: [statusCode.RESOURCE_EXHAUSTED],
    code: 'QUOTA_EXCEEDED',
    fix: 'reduce the load, or add nodes or quota',
  },
  {
    codes: [
      statusCode.UNAVAILABLE,
      statusCode.DEADLINE_EXCEEDED,
      statusCode.ABORTED,
      statusCode.CANCELLED,
    ],
    code: 'UNAVAILABLE',
    fix: 'try again later; a write in progress may have been applied',
    fixOfRead: 'try again later',
  },
];

const unavailable = rules.find(({ code }) => code === 'UNAVAILABLE')!;

/** Texts with which Google's emulator rejects requests under UNKNOWN or INTERNAL. */
const rejection =
  /invalid|illegal|can(?:'|no)t|must |may not|should |missing|require|unsupported|bad |too |error parsing|negative|not supported|no mutation/i;

const statusNames = Object.fromEntries(
  Object.entries(statusCode).map(([name, code]) => [code, name]),
) as Readonly<Record<number, string>>;

/**
 * The RowsmithError of a CallError, with additional details; any other error is unchanged. `reads`
 * is set for a call that writes nothing.
 */
export function engineError(error: unknown, details: ErrorDetails, reads = false): unknown {
  if (!(error instanceof CallError)) return error;
  const { code: status, message } = error;
  const rule = ruleOf(error);
  const { code } = rule;
  const fix = reads ? (rule.fixOfRead ?? rule.fix) : rule.fix;
  const found: Record<string, unknown> = { ...details };
  const family = code === 'FAMILY_NOT_FOUND' ? familyIn(message) : undefined;
  if (family !== undefined) found.family = family;
  found.problem = message;
  if (fix !== undefined) found.fix = fix;
  if (rule.shellFix !== undefined) found.shell = { fix: rule.shellFix };
  found.status = statusNames[status] ?? status;
  return new RowsmithError(code, found, { cause: error });
}

function ruleOf(error: CallError): Omit<ErrorRule, 'codes' | 'message'> {
  // A write on a connection that broke may have been applied.
  if (isBroken(error)) return unavailable;
  const { code: status, message } = error;
  const rule = rules.find(
    ({ codes, message: pattern }) => codes.includes(status) && pattern?.test(message) !== false,
  );
  if (rule !== undefined) return rule;
  const isRejection = unspecificCodes.includes(status) && rejection.test(message);
  return { code: isRejection ? 'INVALID_ARGUMENT' : 'STORAGE_FAILED' };
}

/** The family that the status text names, if any. */
function familyIn(message: string): string | undefined {
  return /family not found: ([-_.a-zA-Z0-9]+)|family "([^"]*)"/
    .exec(message)
    ?.slice(1)
    .find((name) => name !== undefined);
}
