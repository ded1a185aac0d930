/** The stream `heat`: maps of a recording, again and again while an application writes it. */
import { readFile } from 'node:fs/promises';
import { basename } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { errorMessage, fileFailed, type FaultTexts } from '../../../base/index.js';
import { storedModels } from '../../../entities/model/index.js';
import { heatFindings, nodeProfiles, readRecordingBytes, secondsOfRow } from '../../heat/index.js';
import { heatMaps, packMaps, unjudgedText } from '../../page/index.js';
import type { CallOf, StudioContext } from '../context.js';
import type { HeatLine } from '../protocol/insight.js';
import type { JsonValue } from '../protocol/json.js';
import type { RequestFields } from '../request-fields.js';
import { StudioError } from '../studio-error.js';

/** Bytes of the maps in a line. */
const maxMapBytes = 4 << 20;

/** Reads the recording, and maps what it holds. */
export async function* readHeat({
  context,
  request,
  signal,
}: CallOf<RequestFields>): AsyncGenerator<HeatLine> {
  const { recording } = context;
  if (recording === undefined) throw new StudioError('NOT_FOUND', faults.noRecording);
  const table = request.optionalText('table');
  const everyMs = request.has('everyMs')
    ? request.count('everyMs', { min: 1_000, max: 3_600_000 })
    : undefined;
  do {
    yield await mapsOf(context, recording, table);
    if (everyMs !== undefined) await sleep(everyMs, undefined, { signal });
  } while (everyMs !== undefined);
}

async function mapsOf(
  { models: all }: StudioContext,
  file: string,
  table: string | undefined,
): Promise<HeatLine> {
  const source = basename(file);
  const { log, warning } = readRecordingBytes(await contentOf(file), source);
  const tables = log.tables.filter((each) => table === undefined || each.table === table);
  const access = { ...log, tables };
  const models = storedModels(all);
  const secondsOf = secondsOfRow(nodeProfiles.ssd);
  const findings = heatFindings(access, { models, secondsOf });
  const maps = heatMaps({ access, findings, models }).map((map) => ({
    ...map,
    unjudged: unjudgedText(tables.find((each) => each.table === map.name)!),
  }));
  return {
    type: 'maps',
    source,
    warning,
    maps: JSON.parse(packMaps(maps, maxMapBytes)) as JsonValue[],
    findings: findings.map(({ kind, level, table: name, entity, key, problem, fix }) => ({
      kind,
      level,
      table: name,
      entity,
      key,
      problem,
      fix,
    })),
  };
}

async function contentOf(file: string): Promise<Uint8Array> {
  try {
    return await readFile(file);
  } catch (cause) {
    throw fileFailed(file, faults.unreadable(errorMessage(cause)), cause);
  }
}

const faults = {
  noRecording: {
    problem: 'the studio was started without a recording',
    fix: 'record the accesses of an application to a file, and start rowsmith studio --recording FILE',
  },
  unreadable: (message: string) => ({
    problem: `it cannot be read: ${message}`,
    fix: 'check the path of --recording',
  }),
} satisfies FaultTexts;
