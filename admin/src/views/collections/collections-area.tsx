// The views of the area "Collections".
import { Route, Switch } from 'wouter';
import { isAdmin, useMe } from '../../api/api-context.tsx';
import { NotFound } from '../../shell/not-found.tsx';
import { CollectionList } from './collection-list.tsx';
import { DocumentList } from './documents/document-list.tsx';
import { DocumentView } from './documents/document-view.tsx';
import { NewDocument, NewDocumentDialog } from './documents/new-document.tsx';
import { NewDocumentProvider } from './fields/new-document-context.ts';
import { DeletedList } from './revisions/deleted-list.tsx';
import { Revisions } from './revisions/revision-list.tsx';
import { NewCollection } from './specification/new-collection.tsx';
import { SpecificationView } from './specification/specification-view.tsx';

export function CollectionsArea() {
  const me = useMe();
  return (
    <NewDocumentProvider value={NewDocumentDialog}>
      <Switch>
        <Route path="/" component={CollectionList} />
        {isAdmin(me) && <Route path="/new" component={NewCollection} />}
        {isAdmin(me) && (
          <Route path="/:version/:database/:name/specification">
            {(address) => <SpecificationView address={address} />}
          </Route>
        )}
        <Route path="/:version/:database/:name">{(address) => <DocumentList address={address} />}</Route>
        <Route path="/:version/:database/:name/new">{(address) => <NewDocument address={address} />}</Route>
        <Route path="/:version/:database/:name/deleted">
          {(address) => <DeletedList key={Object.values(address).join('/')} address={address} />}
        </Route>
        <Route path="/:version/:database/:name/:id">
          {({ id, ...address }) => <DocumentView key={id} address={address} id={id} />}
        </Route>
        <Route path="/:version/:database/:name/:id/revisions">
          {({ id, ...address }) => <Revisions key={id} address={address} id={id} />}
        </Route>
        <Route>
          <NotFound />
        </Route>
      </Switch>
    </NewDocumentProvider>
  );
}
