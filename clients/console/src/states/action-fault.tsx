import type { ReactNode } from 'react';
import { almanacErrorOf } from '../api/query-client.js';
import { plain } from '../api/wording.js';

/** The error of an action, next to its button. The rest of the screen stays. */
export const ActionFault = ({ error }: { readonly error: unknown }): ReactNode => {
  if (error === null || error === undefined) return null;
  const fault = almanacErrorOf(error);
  return (
    <div className="fault" role="alert">
      <p>{plain(`${fault.detail} ${fault.remedy}`)}</p>
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
