/** Which call a program makes. */
import type { Caller } from './calls.js';
import { type Call } from './calls.js';
import { hasSums } from './declare.js';
import type { FeatureSet } from './features.js';
import { importLines, resumeImport } from './imports.js';
import * as many from './many-rows.js';
import * as one from './one-row.js';
import { ownerCall } from './owners.js';

/** Where each row has an entry, an append or increment that makes a row is refused. */
export function allowsSteps(features: FeatureSet): boolean {
  return !(features.has('index') && features.has('defaults'));
}

export function makeCall(caller: Caller): Call {
  const { features } = caller;
  const calls: ((caller: Caller) => Call)[] = [
    one.save,
    one.save,
    one.insert,
    one.patch,
    one.patch,
    one.patchIf,
    one.patchAll,
    one.clear,
    one.remove,
    one.saveRead,
    one.removeRead,
    many.saveMany,
    many.insertMany,
    many.patchMany,
    many.patchManyAll,
    many.deleteMany,
    many.deletionOfPrefix,
    many.deleteFound,
  ];
  if (features.has('revision')) calls.push(one.update, one.update, one.saveRead);
  if (allowsSteps(features) && !caller.stepsSeeExpired()) {
    calls.push(one.append);
    if (features.has('counters') || features.has('columnMap'))
      calls.push(one.increment, many.incrementMany);
    if (features.has('buffered')) calls.push(many.buffered);
    if (features.has('buffered') && hasSums(features)) calls.push(many.bufferedSums);
  }
  if (features.has('copies')) calls.push(ownerCall, ownerCall, ownerCall);
  else if (features.has('collections')) calls.push(ownerCall);
  if (features.has('import')) calls.push(importLines, importLines);
  if (features.has('resume')) calls.push(resumeImport, resumeImport);
  return caller.pick(calls)(caller);
}
