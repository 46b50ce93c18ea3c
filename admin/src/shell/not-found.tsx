// What an address shows that names no view, or one that the caller has no use for.
import { Anchor, Text } from '@mantine/core';
import { Link } from 'wouter';
import { View } from './view.tsx';

export function NotFound() {
  return (
    <View title="Nothing here">
      <Text>
        This address names nothing that you may see.{' '}
        <Anchor component={Link} href="~/admin">
          To the first view
        </Anchor>
      </Text>
    </View>
  );
}
