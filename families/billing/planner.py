"""What plans the cases of all billing traps."""

from families.billing.tables import COMPUTED, TABLES
from families.billing.world import World, write_tables
from families.billing.world_builder import WorldBuilder
from trapcli.answers.edits.authoring.scenes import Planner

PLANNER: Planner[World] = Planner(TABLES, COMPUTED, WorldBuilder, write_tables)
