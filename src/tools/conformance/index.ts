/** The conformance tests of engines as data, and their run against a service. */
export { CaseContext, caseFamilies, type ConformanceCase } from './case.js';
export { read, set, shown, utf8 } from './rows.js';
export { rejects } from './assert.js';
export { caseGroups } from './groups.js';
export { historyGroup } from './history/history-case.js';
export type { RandomHistory } from './history/history-case.js';
export type { CaseOutcome, CaseResult, ConformanceReport } from './run/report.js';
export { runCost } from './run/cost.js';
export { serviceGroups, verifyService } from './run/verify-service.js';
