// One section of an endpoint or hook.
import type { ReactNode } from 'react';
import { CodeSection } from './code-section.tsx';
import { LogsSection } from './logs-section.tsx';
import type { ListedModule } from './module-queries.ts';
import type { ModuleRef, Section } from './module-ref.ts';
import { ModuleView } from './module-view.tsx';
import { PolicySection } from './policy/policy-section.tsx';
import { UsageSection } from './usage-section.tsx';
import { VersionsSection } from './versions-section.tsx';

interface SectionViewProps {
  readonly of: ModuleRef;
  readonly section: Section;
  /** The section "Try". */
  readonly children?: (module: ListedModule) => ReactNode;
}

export function SectionView({ of: ref, section, children }: SectionViewProps) {
  return (
    <ModuleView of={ref} section={section}>
      {(module) => {
        if (section === 'policy') return <PolicySection of={ref} />;
        if (section === 'versions') return <VersionsSection of={ref} />;
        if (section === 'usage') return <UsageSection of={ref} />;
        if (section === 'logs') return <LogsSection of={ref} />;
        return section === 'try' ? children?.(module) : <CodeSection of={ref} />;
      }}
    </ModuleView>
  );
}
