"""The property graph: the engine adapter and its guards, migrations, plan and apply, reading views, named queries."""
