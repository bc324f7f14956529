import { Component, type ReactNode } from 'react';
import { Failure } from './failure.js';

interface Props {
  readonly children: ReactNode;
}

/** A fault while drawing ends one screen and not the console. */
export class FaultBoundary extends Component<Props, { readonly error: unknown }> {
  override state: { readonly error: unknown } = { error: undefined };

  static getDerivedStateFromError(error: unknown): { readonly error: unknown } {
    return { error };
  }

  override render(): ReactNode {
    if (this.state.error === undefined) return this.props.children;
    return <Failure error={this.state.error} onRetry={() => this.setState({ error: undefined })} />;
  }
}
