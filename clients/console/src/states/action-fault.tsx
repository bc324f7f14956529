import { ApiError } from '@almanac/client';
import type { ReactNode } from 'react';
import { almanacErrorOf } from '../api/query-client.js';

/** The error of an action, next to its button. The rest of the screen stays. */
export const ActionFault = ({ error }: { readonly error: unknown }): ReactNode => {
  if (error === null || error === undefined) return null;
  const fault = almanacErrorOf(error);
  const fields = fault instanceof ApiError ? fault.fields : [];
  return (
    <div className="fault" role="alert">
      <p>
        {fields.length === 0
          ? fault.detail
          : fields.map(({ loc, msg }) => `${loc.slice(1).join('.')}: ${msg}`).join('. ')}{' '}
        {fault.remedy}
      </p>
      <p className="hint">
        Code <code>{fault.code}</code>
        {fault.request_id === null ? null : (
          <>
            {' '}
            · Request <code>{fault.request_id}</code>
          </>
        )}
      </p>
    </div>
  );
};
