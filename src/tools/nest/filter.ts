/** Errors of Rowsmith as answers to HTTP requests. */
import { type ArgumentsHost, Catch, HttpException, Logger } from '@nestjs/common';
import { BaseExceptionFilter } from '@nestjs/core';
import { type Observable, throwError } from 'rxjs';
import { RowsmithError } from '../../base/index.js';

/** A client of a gateway. */
interface EventClient {
  emit(event: string, data: unknown): unknown;
}

/**
 * Answers a request that failed with a `RowsmithError`: the status is `error.httpStatus`, and the
 * body has the code, the message, and the property or the issues of the request. Errors from 500
 * on are logged. A microservice and a gateway answer `{ status: 'error', code, message }`, as the
 * filters of Nest do; in other contexts the error is thrown again.
 * @example { provide: APP_FILTER, useClass: RowsmithFilter }
 */
export class RowsmithFilter extends BaseExceptionFilter {
  readonly #logger = new Logger('Rowsmith');

  /** Called by Nest. */
  override catch(error: RowsmithError, host: ArgumentsHost): Observable<never> | undefined {
    const { code, message, details, httpStatus: statusCode } = error;
    const answer = { status: 'error', code, message };
    switch (host.getType<string>()) {
      case 'http':
        break;
      case 'rpc':
        return throwError(() => answer);
      case 'ws':
        host.switchToWs().getClient<EventClient>().emit('exception', answer);
        return undefined;
      default:
        throw error;
    }
    if (statusCode >= 500) this.#logger.error(error.stack);
    const { property, issues } = statusCode < 500 ? details : {};
    super.catch(
      new HttpException({ statusCode, code, message, property, issues }, statusCode),
      host,
    );
    return undefined;
  }
}
Catch(RowsmithError)(RowsmithFilter);
