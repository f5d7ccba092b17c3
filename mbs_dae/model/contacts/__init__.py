"""The room of contacts: contacts and stops, and the shapes of bodies that meet; `base` says what a contact is."""

from .base import Contact, ContactElement, registered_contacts
from .closure import Closure
from .compliant import CompliantContact
from .friction import DryFriction, Friction, FrictionElement
from .links import CamContact, Rope, Strut
from .shapes import Box, Capsule, Disk, Line, Plane, Point, Polygon, Profile, Shape, Sphere
from .stops import Stop
