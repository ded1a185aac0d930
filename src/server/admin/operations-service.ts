/** google.longrunning.Operations: what the admin services do and have done. */
import type { FaultTexts } from '../../base/index.js';
import {
  CancelOperationRequest,
  DeleteOperationRequest,
  Empty,
  GetOperationRequest,
  ListOperationsRequest,
  ListOperationsResponse,
  LongOperation,
  requestError,
  unsupportedRequest,
  WaitOperationRequest,
} from '../../engines/protocol/index.js';
import type { Methods, Service } from '../rpc.js';
import type { Operations } from './operations.js';
import { onePage } from './paging.js';

/** Milliseconds that a WaitOperation without a timeout waits. */
const defaultWaitMs = 60_000;
const maxWaitMs = 2 ** 31 - 1;

/** The methods of the service. */
export function operationsService(service: Service, operations: Operations): Methods {
  return {
    ListOperations: service.unary(
      'ListOperations',
      ListOperationsRequest,
      ListOperationsResponse,
      async ({ name = '', filter = '', pageSize, pageToken }) => {
        if (!/^operations\/projects\/[^/]+(\/|$)/.test(name))
          throw requestError('name', faults.notAParent(name));
        if (filter !== '') throw unsupportedRequest('filter', faults.unsupportedFilter);
        const all = operations.list(name);
        const { items, nextPageToken } = onePage(all, (each) => each.name, pageSize, pageToken);
        return { operations: [...items], nextPageToken };
      },
    ),
    GetOperation: service.unary(
      'GetOperation',
      GetOperationRequest,
      LongOperation,
      async ({ name }) => operations.get(name),
    ),
    WaitOperation: service.unary(
      'WaitOperation',
      WaitOperationRequest,
      LongOperation,
      async ({ name, timeout }, signalOf) => {
        const { seconds = 0n, nanos = 0 } = timeout ?? {};
        const ms = timeout === undefined ? defaultWaitMs : Number(seconds) * 1000 + nanos / 1e6;
        return operations.wait(name, Math.max(0, Math.min(ms, maxWaitMs)), signalOf());
      },
    ),
    CancelOperation: service.unary(
      'CancelOperation',
      CancelOperationRequest,
      Empty,
      async ({ name }) => {
        operations.cancel(name);
        return {};
      },
    ),
    DeleteOperation: service.unary(
      'DeleteOperation',
      DeleteOperationRequest,
      Empty,
      async ({ name }) => {
        operations.delete(name);
        return {};
      },
    ),
  };
}

const faults = {
  notAParent: (name: string) => ({
    problem: `Invalid name: '${name}' is not operations/projects/PROJECT, nor a resource below it`,
  }),
  unsupportedFilter: { problem: 'Operations are not filtered by this server.' },
} satisfies FaultTexts;
